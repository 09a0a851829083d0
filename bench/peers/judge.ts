import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InProcessSri } from '../../src/simulator/brain/in-process.js';
import { readCertificate } from '../../src/simulator/brain/signature/certificate.js';
import { signatureEngines } from '../../src/simulator/brain/signature/cryptography.js';
import { namesIssuer } from '../../src/simulator/brain/signature/issuer-name.js';
import { readSignature } from '../../src/simulator/brain/signature/structure.js';
import { type Element, textAt } from '../../src/simulator/brain/xml/element.js';
import { readElement, UnreadableXml, withDocument } from '../../src/simulator/brain/xml/parse.js';
import { schemaFiles, schemaFolders } from '../../src/simulator/schema-files.js';

/** A signed document to judge. */
export interface Exhibit {
  readonly signed: Buffer;
  readonly accessKey: string;
  /** What the buyer's name and an attribute must still say. */
  readonly text: string;
}

/** What is wrong with each, nothing for a good one. */
export type Verdict = readonly string[];

const STRUCTURE = 'structure';

/**
 * Judges what a signer made: is the text untouched, do all digests and the signature fit the certificate, does it say of the
 * certificate what it is; would the simulated SRI authorize it; and what do xmllint and xmlsec1 say where the reference
 * folder is at hand.
 */
export class Judge {
  constructor(private readonly referenceFolder: string | undefined) {}

  /** Who judges besides us. */
  get description(): string {
    return this.script() === null ? 'the simulator' : 'the simulator, xmllint and xmlsec1';
  }

  /** Of one peer. */
  verdicts(exhibits: readonly Exhibit[]): readonly Verdict[] {
    const independent = this.independent(exhibits.map(({ signed }) => signed));
    // An SRI of its own: the peers sign the same numbers.
    const sri = new InProcessSri({
      schemas: schemaFiles(schemaFolders(this.referenceFolder)),
      scrutiny: 'full',
      signatureEngine: 'libxml2',
      processingMs: { min: 0, max: 0 },
    });
    return exhibits.map((exhibit, index) => {
      const faults = faultsOf(exhibit);
      if (faults.length > 0) return faults.map((fault) => (fault === STRUCTURE && independent?.[index] === true ? 'profile' : fault));
      const refusal = refusalOf(sri, exhibit);
      if (refusal !== null) return [refusal];
      return independent?.[index] === false ? ['xmlsec1'] : [];
    });
  }

  private script(): string | null {
    const path = join(this.referenceFolder ?? '', 'verify.sh');
    return this.referenceFolder !== undefined && existsSync(path) && spawnSync('xmlsec1', ['--version']).status === 0 ? path : null;
  }

  /** Whether each passes the independent script; null without it. */
  private independent(documents: readonly Buffer[]): readonly boolean[] | null {
    const script = this.script();
    if (script === null) return null;
    const folder = mkdtempSync(join(tmpdir(), 'sello-peers-'));
    try {
      const files = documents.map((signed, index) => {
        const file = join(folder, `${index}.xml`);
        writeFileSync(file, signed);
        return file;
      });
      const { stdout } = spawnSync('bash', [script, ...files], { encoding: 'utf8' });
      const good = new Set(stdout.split('\n').flatMap((line) => /^ok (\S+)/.exec(line)?.[1] ?? []));
      return files.map((file) => good.has(file));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}

function faultsOf({ signed, text }: Exhibit): string[] {
  let root: Element;
  try {
    root = withDocument(signed, (document) => readElement(document.root));
  } catch (error) {
    if (error instanceof UnreadableXml) return ['not XML'];
    throw error;
  }
  const faults = texts(root).every((found) => found === text) ? [] : ['text changed'];
  const parts = readSignature(root);
  if (typeof parts === 'string') return [...faults, STRUCTURE];
  const certificate = readCertificate(Buffer.from(parts.certificate, 'base64'));
  if (!signatureEngines.libxml2(signed, parts, certificate)) faults.push('signature');
  const modulus = parts.modulus === null ? null : Buffer.from(parts.modulus, 'base64');
  if (modulus !== null && certificate.modulus !== null && !modulus.equals(certificate.modulus)) faults.push('KeyValue');
  if (!namesIssuer(parts.issuerName, certificate.issuer)) faults.push('issuer name');
  if (parts.serialNumber !== certificate.serialNumber) faults.push('serial number');
  if (certificate.digitalSignature === false) faults.push('wrong pair');
  return faults;
}

/** The buyer's name and the attribute, as a parser reads them. */
function texts(root: Element): readonly string[] {
  const lines = root.children.find(({ name }) => name === 'detalles');
  const detail = lines?.children[0]?.children.find(({ name }) => name === 'detallesAdicionales')?.children[0];
  return [textAt(root, 'infoFactura', 'razonSocialComprador') ?? '', detail?.attributes.get('valor') ?? ''];
}

/** Code of the message with which the simulated SRI refuses it; null when it authorizes it. */
function refusalOf(sri: InProcessSri, { signed, accessKey }: Exhibit): string | null {
  const now = new Date();
  const received = sri.submit(signed, now);
  if (received.kind !== 'answer') return received.reason;
  const { estado, messages } = received.outcome;
  if (estado !== 'RECIBIDA') return `SRI ${messages[0]?.identifier ?? '?'}`;
  const decided = sri.query(accessKey, new Date(now.getTime() + 1_000));
  const entry = decided.kind === 'answer' ? decided.outcome.entries[0] : undefined;
  return entry?.estado === 'AUTORIZADO' ? null : `SRI ${entry?.messages[0]?.identifier ?? '?'}`;
}
