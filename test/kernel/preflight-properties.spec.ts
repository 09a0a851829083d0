/**
 * What the pre-flight lets pass, the SRI lets pass: random documents of all types
 * before the simulator, which reads the signed XML and shares nothing with the
 * producing side but the code tables.
 *
 * Form and arithmetic of every document are judged; every fifth goes the whole way,
 * signed with one cached key and submitted, for verifying all the signatures would
 * take half of the time. DOCUMENTS=100000 runs more of them; a failure names its
 * seed, and DOCUMENT_SEED=01:12345 runs that document alone, the whole way.
 */
import { join } from 'node:path';
import { schemaFiles } from '../../src/simulator/schema-files.js';
import { defaultSettings } from '../../src/simulator/brain/settings.js';
import { SriBrain } from '../../src/simulator/brain/brain.js';
import { keyDisagreement } from '../../src/simulator/brain/checks/key-agreement.js';
import { receiverRefusal } from '../../src/simulator/brain/checks/receiver.js';
import { supportRefusal } from '../../src/simulator/brain/checks/supporting-documents.js';
import { readHeader } from '../../src/simulator/brain/submission.js';
import { Schemas } from '../../src/simulator/brain/xml/schemas.js';
import { readingOf } from '../../src/simulator/brain/types/registry.js';
import { readElement, withDocument } from '../../src/simulator/brain/xml/parse.js';
import type { Finding } from '../../src/shared/finding.js';
import type { Clock } from '../../src/shared/ports.js';
import { buildAccessKey } from '../../src/sri/access-key.js';
import { hasComputableTotals, withComputedTotals } from '../../src/sri/document-types/computed-totals.js';
import type { DocumentContent, DocumentTypeCode, IssuerSnapshot } from '../../src/sri/document-types/content.js';
import { documentType } from '../../src/sri/document-types/registry.js';
import { preflight } from '../../src/sri/preflight.js';
import { XadesSigner } from '../../src/sri/signing/xades.js';
import { anyDocument, MOST_DAYS, TYPES, type RandomDocument } from '../support/documents/any-document.js';
import { perturbed } from '../support/documents/perturb.js';
import { dec, money, Random } from '../support/documents/random.js';
import { certificate, rsaPair } from '../support/pki.js';

const DOCUMENTS = Number(process.env['DOCUMENTS'] ?? 10_200);
const FIRST_SEED = 20_260_915;
const REPLAY = /^(0[1-7]):(\d+)$/.exec(process.env['DOCUMENT_SEED'] ?? '');

const NUMBERING = { sequential: 1, accessKey: '0'.repeat(49) };

const signer = new XadesSigner(certificate(), rsaPair().privateKey);
const source = schemaFiles([join(import.meta.dirname, '..', '..', 'src', 'sri', 'document-types')]);
const schemas = new Schemas(source);

/** The instant of every check: the documents' own day, 15:00 in Guayaquil. */
class DayClock implements Clock {
  day = '2026-09-15';

  now(): Date {
    return new Date(`${this.day}T20:00:00Z`);
  }
}

/** An SRI that decides at once and forgets what it decided. */
function startSri(): { readonly clock: DayClock; readonly brain: SriBrain } {
  const clock = new DayClock();
  const settings = {
    processingMs: { min: 0, max: 0 },
    issueWindowDays: MOST_DAYS,
    signatureEngine: 'libxml2',
  } as const;
  const limits = { ledgerLimit: 10, storedDocumentLimit: 10 };
  return { clock, brain: new SriBrain(clock, { ...defaultSettings(source), ...settings, ...limits }) };
}

interface Trial extends RandomDocument {
  readonly changes: readonly string[];
}

/** Even seeds foot; odd ones have something changed, every second of them with totals that follow. */
function trial(type: DocumentTypeCode, seed: number): Trial {
  const made = anyDocument(type, seed);
  if (seed % 2 === 0) return { ...made, changes: [] };
  const { content, changes } = perturbed(made.content, new Random(seed));
  return { ...made, changes, content: seed % 4 === 1 ? content : following(content, made.issuer) };
}

/** The document with totals made from its changed parts, as a client's own sums would be. */
function following(content: DocumentContent, issuer: IssuerSnapshot): DocumentContent {
  // Content whose shape is broken has no totals; the pre-flight judges it as it is.
  if (errorsOf(content, issuer, content.issueDate).errors.some(({ rule }) => rule.startsWith('shape.'))) return content;
  return { ...(hasComputableTotals(content) ? withComputedTotals(content, issuer) : content), payments: [] };
}

function errorsOf(content: DocumentContent, issuer: IssuerSnapshot, today: string) {
  const checked = preflight(content, issuer, { today, maxIssueDateAgeDays: MOST_DAYS });
  return { ...checked, errors: checked.findings.filter(({ severity }) => severity === 'error') };
}

/** What the SRI says about a document that passed; empty: nothing. */
function refusal(sri: ReturnType<typeof startSri>, made: Trial, content: DocumentContent, wholeWay: boolean) {
  const { issuer, sequential } = made;
  const accessKey = buildAccessKey({
    issueDate: content.issueDate,
    documentType: content.documentType,
    ruc: issuer.ruc,
    environment: issuer.environment,
    establishment: issuer.establishmentCode,
    emissionPoint: issuer.emissionPointCode,
    sequential,
    numericCode: content.numericCode,
  });
  const xml = documentType(content.documentType)!.buildXml(content, issuer, { sequential, accessKey });
  return wholeWay ? submitted(sri, xml, accessKey, made.today) : judged(xml);
}

/** Signed, received and authorized, or why not. */
function submitted({ clock, brain }: ReturnType<typeof startSri>, xml: string, accessKey: string, today: string) {
  clock.day = today;
  const reception = brain.submit(signer.signSync(xml, clock.now())).outcome;
  if (reception?.estado !== 'RECIBIDA') return (reception?.messages ?? []).map(textOf);
  const entry = brain.authorize(accessKey).outcome?.entries.at(-1);
  return entry?.estado === 'AUTORIZADO' ? [] : (entry?.messages ?? []).map(textOf);
}

/** The SRI's checks that need no signature: form (35), key (58), supporting documents (64), receiver (69), sums (52). */
function judged(xml: string): readonly string[] {
  return withDocument(Buffer.from(xml), (document) => {
    const root = readElement(document.root);
    const reading = readingOf(root.name)!;
    const header = readHeader(root);
    const broken =
      schemas.complaint(document, root.name, root.attributes.get('version') ?? '') ?? reading.structureProblem(root);
    const refusals = [
      keyDisagreement(header, reading.issueDate(root)),
      supportRefusal(reading.supports(root)),
      ...reading.receivers(root).map((receiver) => receiverRefusal(receiver, header.documentType)),
    ];
    return [
      ...(broken === null ? [] : [`35 ${broken}`]),
      ...refusals.filter((message) => message !== null).map(textOf),
      ...reading.differences(root).map((text) => `52 ${text}`),
    ];
  });
}

const textOf = ({ identifier, additionalInfo }: { identifier: string; additionalInfo: string | null }): string =>
  `${identifier} ${additionalInfo ?? ''}`;

const ruleAndPointer = ({ rule, pointer, expected, actual }: Finding): string =>
  `${rule} ${pointer} (${String(expected)}, ${String(actual)})`;

/** Runs a property on document after document, and names the one on which it fails. */
function forEach(type: DocumentTypeCode, count: number, property: (made: Trial) => boolean): void {
  if (REPLAY !== null) {
    if (REPLAY[1] === type) property(trial(type, Number(REPLAY[2])));
    return;
  }
  let held = 0;
  for (let seed = FIRST_SEED; held < count; seed += 1) {
    const made = trial(type, seed);
    try {
      if (property(made)) held += 1;
    } catch (error) {
      const replay = `DOCUMENT_SEED=${type}:${seed}`;
      throw new Error(
        `${replay} ${made.changes.join('; ')}: ${error instanceof Error ? error.message : String(error)}`,
        {
          cause: error,
        },
      );
    }
    // Or nothing would be proven: what is made to foot passes, and so do most small changes of texts.
    if (seed - FIRST_SEED > 20 * count) throw new Error(`only ${held} of ${seed - FIRST_SEED} documents passed`);
  }
}

describe.each(TYPES)('type %s', (type) => {
  it('is never refused by the SRI when the pre-flight lets it pass', () => {
    const sri = startSri();
    let changed = 0;
    let passed = 0;
    forEach(type, DOCUMENTS / TYPES.length, (made) => {
      const { content, errors } = errorsOf(made.content, made.issuer, made.today);
      if (errors.length > 0) {
        // What foots to the cent, or a cent beside it in one place, is within the SRI's tolerance: nothing may be found.
        if (made.changes.length === 0) throw new Error(errors.map(ruleAndPointer).join('; '));
        return false;
      }
      const refused = refusal(sri, made, content, REPLAY !== null || passed % 5 === 0);
      if (refused.length > 0) throw new Error(refused.join('; '));
      passed += 1;
      if (made.changes.length > 0) changed += 1;
      return true;
    });
    // Documents at the edge of the rules must be among those that passed, or little would be proven.
    if (REPLAY === null) expect(changed).toBeGreaterThan(DOCUMENTS / TYPES.length / 20);
  }, 30 * 60_000);
});

/** Types whose amounts the SRI adds up from lines. */
const WITH_LINES: readonly DocumentTypeCode[] = ['01', '03', '04', '05'];

describe.each(WITH_LINES)('amounts of type %s', (type) => {
  it('are refused by the pre-flight and by the SRI alike when one is more than the tolerance beside', () => {
    forEach(type, 300, (made) => {
      if (made.changes.length > 0) return false;
      const random = new Random(made.sequential);
      const { content } = errorsOf(made.content, made.issuer, made.today);
      const [wrong, what] = besideItself(content, random);
      const { errors } = errorsOf(wrong, made.issuer, made.today);
      if (errors.length === 0) throw new Error(`the pre-flight lets pass: ${what}`);
      if (arithmeticOf(wrong, made.issuer).length === 0) throw new Error(`the SRI lets pass: ${what}`);
      return true;
    });
  });

  it('that the service computes from the lines always pass', () => {
    forEach(type, 500, (made) => {
      if (made.changes.length > 0) return false;
      const blank = {
        subtotal: '0.00',
        totalDiscount: '0.00',
        totalTax: '0.00',
        total: '0.00',
        taxes: [],
        payments: [],
      };
      const computed = withComputedTotals({ ...made.content, ...blank }, made.issuer);
      const { errors, content } = errorsOf(computed, made.issuer, made.today);
      // Up to here the final consumer's limit was met by the amounts that the generator made.
      const found = errors.filter(({ rule }) => rule !== 'invoice.final_consumer_limit');
      if (found.length > 0) throw new Error(found.map(ruleAndPointer).join('; '));
      const differences = arithmeticOf(content, made.issuer);
      if (differences.length > 0) throw new Error(differences.join('; '));
      return true;
    });
  });
});

/**
 * The document with one amount wrong. Ten cents and more: up to eight lines rounded
 * apart may be four beside the tax of their base, and both are allowed.
 */
function besideItself(content: DocumentContent, random: Random): readonly [DocumentContent, string] {
  const off = random.pick(['0.10', '0.11', '1.00', '1000.00']);
  const more = (amount: string): string => money(dec(amount).plus(off));
  const totalTax = more(content.totalTax);
  const at = random.int(0, content.lines.length - 1);
  const line = content.lines.map((entry, index) =>
    index === at ? { ...entry, subtotal: more(entry.subtotal) } : entry,
  );
  const tax = content.taxes.map((entry, index) =>
    index === 0 ? { ...entry, taxAmount: more(entry.taxAmount) } : entry,
  );
  const paid = content.payments.map((entry, index) => (index === 0 ? { ...entry, total: more(entry.total) } : entry));
  const wrong: Readonly<Record<string, Partial<DocumentContent>>> = {
    total: { total: more(content.total), payments: paid },
    subtotal: { subtotal: more(content.subtotal), total: more(content.total), payments: paid },
    // The group, and everything that follows from it.
    tax: { taxes: tax, totalTax, total: more(content.total), payments: paid },
    'tax alone': { taxes: tax },
    line: { lines: line },
    ...(content.payments.length > 0 ? { payment: { payments: paid } } : {}),
  };
  const what = random.pick(Object.keys(wrong));
  return [{ ...content, ...wrong[what] }, `${what} + ${off}`];
}

/** What the SRI would say of the amounts in the XML (message 52). */
function arithmeticOf(content: DocumentContent, issuer: IssuerSnapshot): readonly string[] {
  const xml = documentType(content.documentType)!.buildXml(content, issuer, NUMBERING);
  const root = withDocument(Buffer.from(xml), (document) => readElement(document.root));
  return readingOf(root.name)!.differences(root);
}
