/**
 * Signed documents before programs that share nothing with ours: the SRI's own
 * schemas (xmllint), libxmlsec (xmlsec1) and OpenSSL, through `verify.sh` of the
 * reference folder. Skipped, visibly, without SRI_REFERENCE_DIR or xmlsec1.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentTypes } from '../../src/sri/document-types/registry.js';
import { XadesSigner } from '../../src/sri/signing/xades.js';
import { describeWhere } from '../support/describe-where.js';
import * as der from '../support/der-writer.js';
import { certificate, name, OID, PLAIN_ISSUER, rsaPair, type CertificateOptions } from '../support/pki.js';

const REFERENCE = process.env['SRI_REFERENCE_DIR'] ?? '';
const script = join(REFERENCE, 'verify.sh');
const missing =
  REFERENCE === '' || !existsSync(script)
    ? 'SRI_REFERENCE_DIR is not set'
    : spawnSync('xmlsec1', ['--version']).status !== 0 || spawnSync('xmllint', ['--version']).status !== 0
      ? 'xmlsec1 and xmllint are not installed'
      : null;

const NOW = new Date('2026-09-15T15:15:30Z');

const TEXTS = [
  'Ñandú & Cía. <"Ltda.">',
  "$& $` $' $1 $$",
  '&amp; &#x41; &lt; ]]> <!-- x -->',
  'runs  of   spaces',
  'emoji 😀 y € – “comillas”',
  'combining e\u0301 n\u0303',
  'next\u0085line line\u2028separator',
  "O'Higgins #1 + 2 = 3",
  'ñ'.repeat(300),
];

const CERTIFICATES: readonly (readonly [string, CertificateOptions])[] = [
  ['plain', {}],
  [
    'organizationIdentifier',
    { issuer: name([OID.c, der.printable('EC')], [OID.organizationIdentifier, der.utf8('VATEC-1790012345001')]) },
  ],
  ['accents and commas', { issuer: name([OID.o, der.utf8('CERTIFICACIÓN ÑANDÚ, S.A. & CÍA + "X" #1')]) }],
  ['replacement patterns', { issuer: name([OID.o, der.utf8("$' $& <b>")]) }],
  ['BMP string and e-mail', { issuer: name([OID.email, der.ia5('ca@a.ec')], [OID.cn, der.bmp('Ñandú')]) }],
  ['20-byte serial', { serial: 2n ** 159n - 1n, issuer: PLAIN_ISSUER }],
  ['RSA 4096', { key: rsaPair('large', 4096) }],
];

interface Case {
  readonly name: string;
  readonly xml: string;
}

const examples: Case[] = documentTypes.flatMap((type) =>
  type.examples.map((example) => {
    const { content } = type.normalise(example.content, example.issuer);
    return { name: `${type.code} ${example.name}`, xml: type.buildXml(content, example.issuer, example.numbering) };
  }),
);

/** Each type with every text, as values of additional information, and with one of them as the name of its buyer. */
const tricky: Case[] = documentTypes.map((type, at) => {
  const example = type.examples.find(({ content }) => content.buyerId !== null);
  if (example === undefined) throw new Error('no example names its buyer');
  const additionalInfo = TEXTS.map((value, number) => ({ name: `text ${String(number)}`, value }));
  const content = { ...type.normalise(example.content, example.issuer).content, buyerName: TEXTS[at]!, additionalInfo };
  return { name: `${type.code} texts`, xml: type.buildXml(content, example.issuer, example.numbering) };
});

describeWhere(missing, 'signed documents before xmlsec1 and the official schemas', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'signed-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function verify(documents: readonly (readonly [string, Buffer])[]): string[] {
    const files = documents.map(([label, bytes]) => {
      const file = join(folder, `${label.replace(/[^\w]+/g, '-')}.xml`);
      writeFileSync(file, bytes);
      return file;
    });
    const { stdout, stderr, status } = spawnSync('bash', [script, ...files], { encoding: 'utf8' });
    const failures = stdout.split('\n').filter((line) => line.startsWith('FAIL'));
    if (status !== 0 && failures.length === 0) throw new Error(`verify.sh ended with ${String(status)}: ${stderr}`);
    // Every file must have been judged, or silence would look like success.
    expect(stdout.match(/^(?:ok|FAIL) /gm)).toHaveLength(files.length);
    expect(stdout.match(/, signed\)$/gm) ?? []).toHaveLength(files.length - failures.length);
    return failures;
  }

  it('accepts every example of every type', () => {
    const signer = new XadesSigner(certificate(), rsaPair().privateKey);
    expect(verify(examples.map(({ name: label, xml }) => [label, signer.signSync(xml, NOW)]))).toEqual([]);
  });

  it('accepts every tricky text', async () => {
    const signer = new XadesSigner(certificate(), rsaPair().privateKey);
    const signed = await Promise.all(
      tricky.map(async ({ name: label, xml }) => [label, await signer.sign(xml, NOW)] as const),
    );
    expect(verify(signed)).toEqual([]);
    // None was left out or made tame.
    const held = (xml: Buffer) => Array.from(xml.toString('utf8').matchAll(/<campoAdicional nombre="text \d">([^<]*)</g), ([, value]) => value);
    for (const [label, xml] of signed) expect([label, held(xml).length]).toEqual([label, TEXTS.length]);
    expect(held(signed[0]![1])).toContain('$&amp; $` $\' $1 $$');
  });

  it('accepts every kind of certificate', () => {
    const [document] = examples;
    const signed = CERTIFICATES.map(([label, options]) => {
      const signer = new XadesSigner(certificate(options), (options.key ?? rsaPair()).privateKey);
      return [label, signer.signSync(document!.xml, NOW)] as const;
    });
    expect(verify(signed)).toEqual([]);
  });

  it('would refuse a changed byte', () => {
    const signer = new XadesSigner(certificate(), rsaPair().privateKey);
    const bytes = signer.signSync(examples[0]!.xml, NOW);
    const changed = Buffer.from(bytes.toString('utf8').replace(/<razonSocial>./, '<razonSocial>X'));
    expect(changed.equals(bytes)).toBe(false);
    expect(verify([['changed', changed]])).toHaveLength(1);
  });
});
