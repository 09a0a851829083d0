/**
 * `npm run bench:preflight`: what it costs to know, before a number is spent, that
 * the SRI would take a document: rules, XML and schema of a 10-line document of
 * each type, as a multiple of one RSA-2048 signature of the same run.
 *
 * Figures are CPU time of one thread, so that other work on the machine counts
 * little. Baseline and figure alternate within each round, ratios are taken per
 * round, and medians over the rounds are printed.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { withComputedTotals } from '../src/sri/document-types/computed-totals.js';
import type { DocumentContent, DocumentLine, IssuerSnapshot } from '../src/sri/document-types/content.js';
import type { DocumentTypeDefinition } from '../src/sri/document-types/document-type.js';
import { documentTypes } from '../src/sri/document-types/registry.js';
import { preflight } from '../src/sri/preflight.js';
import { validateAgainstSchema } from '../src/sri/xml/schema.js';
import { cpuTime, median, printFigures, printTable, rateOf, type Figure } from './table.js';

const LINES = 10;
/** Multiples of one signature. */
const GOAL = 1.5;
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 15);
const SLICE_MS = Number(process.env['BENCH_SLICE_MS'] ?? 200);
const WARM_UP_MS = 5 * SLICE_MS;
const PARTS = ['rules', 'xml', 'schema'] as const;

interface Subject {
  readonly name: string;
  readonly type: DocumentTypeDefinition;
  readonly content: DocumentContent;
  readonly issuer: IssuerSnapshot;
}

function main(): void {
  const rsa = rawRsa();
  const figures: Figure[] = [];
  const shares: string[][] = [];
  const measured = subjects().map((subject) => {
    const context = contextOf(subject.content);
    return { subject, run: () => void preflight(subject.content, subject.issuer, context) };
  });
  // Until the compiler has settled on all of them: first calls cost several times as much.
  for (const { run } of measured) rateOf(run, WARM_UP_MS, cpuTime);
  for (const { subject, run } of measured) {
    const whole = costOf(run, rsa);
    figures.push({
      bench: 'preflight',
      name: `P2 ${subject.name}`,
      value: whole.cost,
      unit: 'µs',
      baseline: { name: 'RSA signature', value: whole.baseline },
      ratio: whole.ratio,
      atMost: GOAL,
    });
    const parts = partsOf(subject);
    shares.push([subject.name, ...PARTS.map((part) => `${costOf(parts[part], rsa).ratio.toFixed(3)} x`)]);
  }
  printTable('Parts, in RSA-2048 signatures', ['what', ...PARTS], shares);
  printFigures(`Pre-flight of a ${LINES}-line document, in RSA-2048 signatures, ${ROUNDS} rounds`, figures);
}

/** Microseconds of CPU for one call, and as a multiple of the baseline just before and after it. */
function costOf(operation: () => void, baseline: () => void): { cost: number; baseline: number; ratio: number } {
  const cost = (call: () => void, milliseconds: number): number => 1_000_000 / rateOf(call, milliseconds, cpuTime);
  cost(operation, SLICE_MS);
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = cost(baseline, SLICE_MS / 2);
    const value = cost(operation, SLICE_MS);
    return { value, baseline: (before + cost(baseline, SLICE_MS / 2)) / 2 };
  });
  return {
    cost: median(rounds.map(({ value }) => value)),
    baseline: median(rounds.map((round) => round.baseline)),
    ratio: median(rounds.map((round) => round.value / round.baseline)),
  };
}

/** The parts of the pre-flight apart; what is between them (shape, size) is in the whole alone. */
function partsOf({ type, content, issuer }: Subject): Readonly<Record<(typeof PARTS)[number], () => void>> {
  const numbering = { sequential: 999_999_999, accessKey: '0'.repeat(49) };
  const normalised = type.normalise(content, issuer).content;
  const xml = type.buildXml(normalised, issuer, numbering);
  const context = contextOf(content);
  return {
    rules: () => void type.check(type.normalise(content, issuer).content, issuer, context),
    xml: () => void type.buildXml(normalised, issuer, numbering),
    schema: () => void validateAgainstSchema(xml, type.schemaFile(normalised)),
  };
}

/** The fullest example of each version of each type, brought to ten lines that foot. */
function subjects(): readonly Subject[] {
  return documentTypes.flatMap((type) =>
    [...new Set(type.examples.map(({ content }) => type.version(content)))].map((version) => {
      const examples = type.examples.filter(({ content }) => type.version(content) === version);
      const example = examples.find(({ name }) => name === 'full') ?? examples[0];
      if (example === undefined) throw new Error(`${type.code} has no example of version ${version}`);
      const content = tenLines(example.content, example.issuer);
      const { findings } = preflight(content, example.issuer, contextOf(content));
      const errors = findings.filter(({ severity }) => severity === 'error');
      if (errors.length > 0) throw new Error(`${type.code} ${version} does not pass: ${JSON.stringify(errors)}`);
      return { name: `${type.code} ${type.rootElement} ${version}`, type, content, issuer: example.issuer };
    }),
  );
}

function tenLines(content: DocumentContent, issuer: IssuerSnapshot): DocumentContent {
  if (content.documentType === '07') return tenWithholdings(content);
  const lines = repeat(content.lines, (line, index) => ({
    ...timesAsMuch(line, index + 1),
    lineNumber: index + 1,
    mainCode: `P-${index + 1}`,
  }));
  if (content.documentType === '06') return { ...content, lines };
  const filled = withComputedTotals({ ...content, lines, payments: [] }, issuer);
  return filled;
}

/** A line of the same kind with other amounts: those of real documents differ. */
function timesAsMuch(line: DocumentLine, times: number): DocumentLine {
  const more = (amount: string): string => (Number(amount) * times).toFixed(amount.split('.')[1]?.length ?? 0);
  const taxes = line.taxes?.map((tax) => ({ ...tax, taxableBase: more(tax.taxableBase), taxAmount: more(tax.taxAmount) })) ?? null;
  return { ...line, unitPrice: more(line.unitPrice), discount: more(line.discount), subtotal: more(line.subtotal), taxes };
}

/** What stands for the lines of a withholding: its entries (1.0.0), its supporting documents (2.0.0). */
function tenWithholdings(content: DocumentContent): DocumentContent {
  const { withholding } = content;
  const cents = (amount: string, times: number): string => (Number(amount) * times).toFixed(2);
  if (withholding === null) {
    const taxes = repeat(content.taxes, (tax) => tax);
    const total = taxes.reduce((sum, { taxAmount }) => sum + Number(taxAmount), 0).toFixed(2);
    return { ...content, taxes, totalTax: total, total };
  }
  const supportingDocuments = repeat(withholding.supportingDocuments.slice(0, 1), (document, index) => ({
    ...document,
    number: `002-003-${String(index + 1).padStart(9, '0')}`,
  }));
  const lines = content.lines.map((line) => ({
    ...line,
    unitPrice: cents(line.unitPrice, LINES),
    subtotal: cents(line.subtotal, LINES),
  }));
  const taxes = content.taxes.map((tax) => ({
    ...tax,
    taxableBase: cents(tax.taxableBase, LINES),
    taxAmount: cents(tax.taxAmount, LINES),
  }));
  const [subtotal, total] = [cents(content.subtotal, LINES), cents(content.total, LINES)];
  return {
    ...content,
    lines,
    taxes,
    subtotal,
    totalTax: total,
    total,
    withholding: { ...withholding, supportingDocuments },
  };
}

function repeat<Entry>(entries: readonly Entry[], numbered: (entry: Entry, index: number) => Entry): readonly Entry[] {
  return Array.from({ length: LINES }, (_, index) => {
    const entry = entries[index % entries.length];
    if (entry === undefined) throw new Error('nothing to repeat');
    return numbered(entry, index);
  });
}

function contextOf(content: DocumentContent): { today: string; maxIssueDateAgeDays: number } {
  return { today: content.issueDate, maxIssueDateAgeDays: 90 };
}

/** One RSA operation over as many bytes as a SignedInfo has. */
function rawRsa(): () => void {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const data = Buffer.alloc(1_100, 0x61);
  return () => void sign('RSA-SHA1', data, privateKey);
}

main();
