/**
 * Every example of every type, with every tricky text, under every tricky certificate:
 * xml-crypto and xmlsec1 both verify, and not a character of the content changes.
 *
 * Pairs, not the full product: each example meets each text and each certificate, and
 * each text each certificate. Texts go where the signature must bear them although the
 * rules refuse some (line ends, blank ones): a rule may change, a digest may not.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { XmlDocument } from 'libxml2-wasm';
import type { DocumentContent, IssuerSnapshot } from '../../src/sri/document-types/content.js';
import type { DocumentExample, DocumentTypeDefinition } from '../../src/sri/document-types/document-type.js';
import { documentTypes } from '../../src/sri/document-types/registry.js';
import { verifySignedDocument } from '../../src/sri/signing/self-check.js';
import { XadesSigner } from '../../src/sri/signing/xades.js';
import { describeWhere } from '../support/describe-where.js';
import * as der from '../support/der-writer.js';
import { certificate, name, OID, rsaPair, type CertificateOptions } from '../support/pki.js';

const NOW = new Date('2026-09-15T15:15:30Z');
/** Additional fields but those of the service itself. */
const CALLERS = "//campoAdicional[@nombre!='RUC Proveedor' and @nombre!='Gran Contribuyente']";
const PROLOG = '<?xml version="1.0" encoding="UTF-8"?>';

const TEXTS: Readonly<Record<string, string>> = {
  entities: '&amp; &#x41; &lt;b&gt; &quot; &nbsp;',
  markup: '<b>"O\'Higgins" & Cía.</b>',
  cdata: '<![CDATA[x]]> ]]>',
  'a comment': '<!-- x --> <?pi?>',
  'replacement patterns': "$& $` $' $1 $$ $<name>",
  'line ends': 'a\nb\rc\r\nd',
  tabs: '\ta\t\tb\t',
  'blanks at the ends': '  a  ',
  'only blanks': '   ',
  'line and paragraph separators': 'a\u2028b\u2029c\u0085d',
  'no-break and ideographic spaces': '\u00a0a\u3000',
  composed: 'Ñandú ü €',
  decomposed: 'N\u0303andu\u0301',
  emoji: '😀 𝒳 👨‍👩‍👧',
  'right to left': 'العربية \u202eabc\u202c',
  'very long': 'ñ😀 '.repeat(1_000),
};

const CERTIFICATES: Readonly<Record<string, CertificateOptions>> = {
  plain: {},
  organizationIdentifier: {
    issuer: name([OID.c, der.printable('EC')], [OID.organizationIdentifier, der.utf8('VATEC-1790012345001')]),
  },
  'accents and commas': {
    issuer: name([OID.o, der.utf8('CERTIFICACIÓN ÑANDÚ, S.A.')], [OID.cn, der.utf8(' #1; "=" ')]),
  },
  'an ampersand': { issuer: name([OID.o, der.utf8('FIRMAS & SELLOS <EC>')]) },
  'several in one': {
    issuer: name(
      [
        [OID.o, der.utf8('A + B')],
        [OID.cn, der.utf8('C\\D')],
      ],
      [OID.dc, der.ia5('ec')],
    ),
  },
  'replacement patterns': { issuer: name([OID.o, der.utf8("$' $& $$")]) },
  'BMP string and e-mail': { issuer: name([OID.email, der.ia5('ca@a.ec')], [OID.cn, der.bmp('Ñandú')]) },
  'the largest serial of 20 bytes': { serial: 2n ** 159n - 1n },
  'a serial of 20 bytes': { serial: BigInt(`0x7f${'00ff'.repeat(9)}01`) },
  'RSA 4096': { key: rsaPair('matrix', 4096) },
};

interface Cell {
  readonly type: DocumentTypeDefinition;
  readonly example: DocumentExample;
  readonly text: string;
  readonly certificate: string;
}

const examples = documentTypes.flatMap((type) => type.examples.map((example) => ({ type, example })));
const texts = Object.keys(TEXTS);
const certificates = Object.keys(CERTIFICATES);

/** Shifting the certificates by one from example to example lets every two parts meet. */
const cells: readonly Cell[] = examples.flatMap(({ type, example }, row) =>
  texts.map((text, column) => ({
    type,
    example,
    text,
    certificate: certificates[(row + column) % certificates.length] ?? '',
  })),
);

const signers = new Map(
  Object.entries(CERTIFICATES).map(([label, options]) => {
    const leaf = certificate(options);
    return [label, { leaf, signer: new XadesSigner(leaf, (options.key ?? rsaPair()).privateKey) }] as const;
  }),
);

/** The document with the text wherever it takes one, and its signed bytes. */
function sign(cell: Cell): { readonly xml: string; readonly signed: Buffer } {
  const { type, example } = cell;
  const text = TEXTS[cell.text] ?? '';
  const issuer = withText(example.issuer, text);
  const content = withText(type.normalise(example.content, example.issuer).content, text);
  const xml = type.buildXml(content, issuer, example.numbering);
  return { xml, signed: signers.get(cell.certificate)!.signer.signSync(xml, NOW) };
}

/** Fields that hold free text in some type. */
const FREE = new Set(
  'name legalName tradeName headOfficeAddress establishmentAddress buyerName buyerAddress reason description unitOfMeasure value concept originAddress destinationAddress address route incotermPlace loadingPort destinationPort'.split(
    ' ',
  ),
);

function withText<T extends DocumentContent | IssuerSnapshot>(holder: T, text: string): T {
  const replaced = (field: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((entry: unknown) => replaced('', entry));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replaced(name, inner)]));
    }
    return typeof value === 'string' && FREE.has(field) ? text : value;
  };
  return replaced('', holder) as T;
}

it('lets every two of example, text and certificate meet', () => {
  const pairs = (of: (cell: Cell) => string): number => new Set(cells.map(of)).size;
  const nameOf = ({ type, example }: Cell): string => `${type.code} ${example.name}`;
  expect(pairs((cell) => `${nameOf(cell)}|${cell.text}`)).toBe(examples.length * texts.length);
  expect(pairs((cell) => `${nameOf(cell)}|${cell.certificate}`)).toBe(examples.length * certificates.length);
  expect(pairs((cell) => `${cell.text}|${cell.certificate}`)).toBe(texts.length * certificates.length);
});

describe.each(texts)('text %s', (label) => {
  const text = TEXTS[label]!;
  const own = cells.filter((cell) => cell.text === label);

  it('stays as it is, byte for byte and for a parser', () => {
    for (const cell of own) {
      const { xml, signed } = sign(cell);
      const written = signed.toString('utf8');
      const [start, end] = [written.indexOf('<ds:Signature '), written.lastIndexOf('</ds:Signature>')];
      const without = written.slice(0, start) + written.slice(end + '</ds:Signature>'.length);
      expect(without.replace(PROLOG, '').trimStart()).toBe(xml);
      const document = XmlDocument.fromString(written);
      try {
        expect(document.get('//razonSocial')?.content).toBe(text);
        expect(document.get(CALLERS)?.content ?? text).toBe(text);
        expect(document.get('//detAdicional/@valor')?.content ?? text).toBe(text);
      } finally {
        document.dispose();
      }
    }
  });

  it('is verified by xml-crypto', () => {
    for (const cell of own) {
      const { leaf } = signers.get(cell.certificate)!;
      const verdict = verifySignedDocument(sign(cell).signed, { expectedCertificate: leaf });
      expect([cell.type.code, cell.example.name, cell.certificate, verdict]).toEqual([
        cell.type.code,
        cell.example.name,
        cell.certificate,
        { valid: true },
      ]);
    }
  });
});

describeWhere(spawnSync('xmlsec1', ['--version']).status === 0 ? null : 'xmlsec1 is not installed', 'the matrix before xmlsec1', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'matrix-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Files of one certificate at a time: the key is an argument. */
  function verify(leaf: Buffer, documents: readonly Buffer[]): { good: number; references: number; output: string } {
    const key = join(folder, 'leaf.der');
    writeFileSync(key, leaf);
    const files = documents.map((bytes, index) => {
      const file = join(folder, `${index}.xml`);
      writeFileSync(file, bytes);
      return file;
    });
    const roots = documentTypes.flatMap(({ rootElement }) => ['--id-attr:id', rootElement]);
    const signature = [
      ['--id-attr:Id', 'http://uri.etsi.org/01903/v1.3.2#:SignedProperties'],
      ['--id-attr:Id', 'http://www.w3.org/2000/09/xmldsig#:KeyInfo'],
    ].flat();
    const { stdout, stderr } = spawnSync(
      'xmlsec1',
      ['--verify', ...roots, ...signature, '--pubkey-cert-der', key, ...files],
      { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    );
    const output = `${stdout}${stderr}`;
    return {
      good: output.match(/^(?:Verification status: )?OK$/gm)?.length ?? 0,
      references: output.match(/SignedInfo References \(ok\/all\): 3\/3/g)?.length ?? 0,
      output,
    };
  }

  it.each(certificates)('verifies every document under the certificate with %s', (label) => {
    const signed = cells.filter((cell) => cell.certificate === label).map((cell) => sign(cell).signed);
    const { good, references, output } = verify(signers.get(label)!.leaf, signed);
    if (good !== signed.length || references !== signed.length) throw new Error(output.slice(0, 4_000));
    expect(signed.length).toBeGreaterThan(examples.length);
  });

  it('would refuse a changed character', () => {
    const { signed } = sign(cells[0]!);
    const changed = Buffer.from(signed.toString('utf8').replace('<ruc>1', '<ruc>2'));
    const { leaf } = signers.get(cells[0]!.certificate)!;
    expect(verify(leaf, [signed]).good).toBe(1);
    expect(verify(leaf, [changed])).toMatchObject({ good: 0, references: 0 });
    expect(verifySignedDocument(changed).valid).toBe(false);
  });
});
