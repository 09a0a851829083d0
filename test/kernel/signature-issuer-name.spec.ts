/**
 * Java is the judge: the SRI's validator parses X509IssuerName with
 * X500Principal and compares it with the certificate's issuer. Skipped, visibly,
 * where no `java` is on PATH.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeCertificate } from '../../src/sri/signing/certificate.js';
import { describeWhere } from '../support/describe-where.js';
import * as der from '../support/der-writer.js';
import { certificate, name, OID, PLAIN_ISSUER } from '../support/pki.js';

const hasJava = spawnSync('java', ['-version']).status === 0;

const JUDGE = `
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.security.cert.*;
import java.util.Base64;
import javax.security.auth.x500.X500Principal;

public class Judge {
  public static void main(String[] arguments) throws Exception {
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    PrintStream out = new PrintStream(System.out, true, "UTF-8");
    for (String line : Files.readAllLines(Path.of(arguments[0]), StandardCharsets.UTF_8)) {
      String[] parts = line.split("\\t");
      String ours = new String(Base64.getDecoder().decode(parts[1]), StandardCharsets.UTF_8);
      X509Certificate certificate = (X509Certificate) factory.generateCertificate(
        new ByteArrayInputStream(Base64.getDecoder().decode(parts[0])));
      X500Principal issuer = certificate.getIssuerX500Principal();
      String verdict;
      try {
        verdict = new X500Principal(ours).equals(issuer) ? "equal" : "different";
      } catch (RuntimeException e) {
        verdict = "unreadable " + e.getMessage();
      }
      String theirs = Base64.getEncoder().encodeToString(issuer.getName().getBytes(StandardCharsets.UTF_8));
      out.println(verdict + "\\t" + theirs + "\\t" + certificate.getSerialNumber());
    }
  }
}
`;

interface Judgement {
  readonly verdict: string;
  readonly javaName: string;
  readonly serial: string;
}

function judge(certificates: readonly Buffer[]): Judgement[] {
  const folder = mkdtempSync(join(tmpdir(), 'issuer-name-'));
  try {
    const source = join(folder, 'Judge.java');
    writeFileSync(source, JUDGE);
    const lines = certificates.map((bytes) => {
      const ours = Buffer.from(describeCertificate(bytes).issuerName, 'utf8').toString('base64');
      return `${bytes.toString('base64')}\t${ours}`;
    });
    const cases = join(folder, 'cases.txt');
    writeFileSync(cases, `${lines.join('\n')}\n`);
    const output = execFileSync('java', [source, cases], { encoding: 'utf8' });
    return output
      .trimEnd()
      .split('\n')
      .map((line) => {
        const [verdict = '', theirs = '', serial = ''] = line.split('\t');
        return { verdict, javaName: Buffer.from(theirs, 'base64').toString('utf8'), serial };
      });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const TEXTS = [
  'AC BANCO CENTRAL DEL ECUADOR',
  'Ñandú & Compañía',
  'CIA. LTDA., QUITO',
  'A + B',
  "$' $& $1 $$",
  '#1 EN FIRMAS',
  'a # b = c',
  '  spaces  at  both  ends  ',
  ' ',
  '',
  '"quoted" \\ back',
  '<tag> & ; =',
  "O'Higgins",
  '€ 100 %',
  'emoji 😀 firma',
  'Ünïcödé ß ǅ İ ﬁ',
  'e\u0301 combining',
  'tab\tinside',
  'line\nbreak',
  'no\u00a0break',
  'line\u2028separator',
  '\\#',
  '\\,',
  'ends with backslash\\',
  '"',
  '1234',
  'x'.repeat(200),
];

const STRINGS: Record<string, (text: string) => Buffer> = {
  utf8: der.utf8,
  bmp: der.bmp,
  t61: der.t61,
  ia5: der.ia5,
  printable: der.printable,
};
const FIT: Record<string, RegExp> = {
  utf8: /^/,
  bmp: /^[\u0000-\ud7ff\ue000-\uffff]*$/,
  t61: /^[\u0000-\u00ff]*$/,
  ia5: /^[\u0000-\u007f]*$/,
  printable: /^[A-Za-z0-9 '()+,\-./:=?]*$/,
};
const TYPES = [
  OID.cn,
  OID.c,
  OID.l,
  OID.o,
  OID.ou,
  '2.5.4.8',
  '2.5.4.9',
  OID.dc,
  OID.uid,
  OID.email,
  OID.serialNumber,
  OID.organizationIdentifier,
  OID.title,
  '2.5.4.17',
  '1.2.3.4.5',
];

function cases(): Buffer[] {
  const issuers = [PLAIN_ISSUER];
  for (const type of TYPES) {
    for (const [kind, write] of Object.entries(STRINGS)) {
      for (const text of TEXTS) {
        if (!FIT[kind]!.test(text)) continue;
        issuers.push(name([OID.c, der.printable('EC')], [type, write(text)], [OID.o, der.utf8('Ñ, S.A.')]));
      }
    }
  }
  issuers.push(
    name(
      [OID.c, der.printable('EC')],
      [
        [OID.cn, der.utf8('A + B')],
        [OID.serialNumber, der.printable('7')],
        [OID.o, der.bmp('Ñ')],
      ],
    ),
    name([OID.dc, der.ia5('ec')], [OID.dc, der.ia5('gob')], [OID.cn, der.utf8('CA')]),
    name([OID.cn, der.utf8('CA')], [OID.cn, der.utf8('CA')]),
    name(),
  );
  return issuers;
}

describeWhere(hasJava ? null : 'java is not on PATH', 'issuer names before Java', () => {
  let judgements: Judgement[] = [];
  let certificates: Buffer[] = [];

  beforeAll(() => {
    certificates = cases()
      .filter((issuer) => issuer.length > 2)
      .map((issuer, i) => certificate({ issuer, serial: 2n ** 159n - BigInt(i + 1) }));
    judgements = judge(certificates);
  });

  it('reads every name back as the issuer of its certificate', () => {
    expect(judgements).toHaveLength(certificates.length);
    const wrong = judgements
      .map(({ verdict, javaName }, i) => ({
        verdict,
        javaName,
        ours: describeCertificate(certificates[i]!).issuerName,
      }))
      .filter(({ verdict }) => verdict !== 'equal');
    expect(wrong).toEqual([]);
  });

  it('prints the same text wherever its own text is read back as equal', () => {
    // Java prints BMP, T61 and IA5 strings behind a keyword as text that it does not read back; ours are hexadecimal there.
    const differing = judgements
      .map(({ javaName }, i) => ({ javaName, ours: describeCertificate(certificates[i]!).issuerName }))
      .filter(({ javaName, ours }) => javaName !== ours && !/(?:^|[,+])[A-Z]+=#/.test(ours));
    expect(differing).toEqual([]);
  });

  it('reads the same serial numbers', () => {
    judgements.forEach(({ serial }, i) => expect(serial).toBe(describeCertificate(certificates[i]!).serialNumber));
  });
});
