/**
 * The samples at hand are reproducible: for each valid one, the payload that a client
 * of ours would send gives its fiscal content, element for element and in its order.
 * Read from SRI_REFERENCE_DIR/samples, which is no part of the repository.
 *
 * Decimals count by value where only trailing zeros differ: our quantities and prices
 * always show six places, our amounts two. Signatures are left out.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildAccessKey } from '../../src/sri/access-key.js';
import { documentType } from '../../src/sri/document-types/registry.js';
import { preflight } from '../../src/sri/preflight.js';
import type { Element } from '../../src/simulator/brain/xml/element.js';
import { readElement, withDocument } from '../../src/simulator/brain/xml/parse.js';
import { describeWhere } from '../support/describe-where.js';
import { payloadOf } from '../support/documents/sample-reader.js';

const REFERENCE = process.env['SRI_REFERENCE_DIR'] ?? '';
const SAMPLES = join(REFERENCE, 'samples');

interface Departure {
  readonly at: string;
  readonly theirs: string | null;
  readonly ours: string | null;
  readonly why: string;
}

const WRONG_DIGIT = 'the check digit of the sample is wrong; ours is right';
const TRIMMED = 'requests are read without spaces at the ends of texts';
const TERM = 'the ficha lists the term of a settlement as mandatory: paid at once';
const PAYMENTS = 'the SRI wants payments although its schema does not: without any, one over the total is written';

/** Of samples that our XML may differ from, every difference; those not named here are reproduced whole. */
const DEPARTURES: Readonly<Record<string, readonly Departure[]>> = {
  bryancalisto_nota_credito: [
    {
      at: 'infoTributaria/claveAcceso',
      theirs: '2712202404123456789100110010010000000028694560211',
      ours: '2712202404123456789100110010010000000028694560216',
      why: WRONG_DIGIT,
    },
    { at: 'infoAdicional/campoAdicional', theirs: ' CC AB-000023', ours: 'CC AB-000023', why: TRIMMED },
  ],
  bryancalisto_nota_debito: [
    {
      at: 'infoTributaria/claveAcceso',
      theirs: '2712202405123456789100110010010000000028694560211',
      ours: '2712202405123456789100110010010000000028694560212',
      why: WRONG_DIGIT,
    },
    { at: 'infoAdicional/campoAdicional', theirs: ' CC AB-000023', ours: 'CC AB-000023', why: TRIMMED },
    { at: 'infoNotaDebito/pagos/pago/formaPago', theirs: null, ours: '20', why: PAYMENTS },
    { at: 'infoNotaDebito/pagos/pago/total', theirs: null, ours: '18.66', why: PAYMENTS },
  ],
  bryancalisto_retencion: [
    {
      at: 'infoTributaria/claveAcceso',
      theirs: '2107202301179001321300120010010000000011234567815',
      ours: '2107202307179001321300120010010000000011234567815',
      why: 'the key of the sample is of an invoice (01)',
    },
  ],
  teran_node_liquidacion: [
    {
      at: 'infoLiquidacionCompra/totalConImpuestos/totalImpuesto/tarifa',
      theirs: null,
      ours: '12.00',
      why: 'optional; always written',
    },
    { at: 'infoLiquidacionCompra/pagos/pago/plazo', theirs: null, ours: '0', why: TERM },
    { at: 'infoLiquidacionCompra/pagos/pago/unidadTiempo', theirs: null, ours: 'dias', why: TERM },
  ],
};

/** What the pre-flight holds against samples whose XML could be written: they are valid by their schema alone. */
const REFUSED: Readonly<Record<string, { readonly errors: readonly string[]; readonly why: string }>> = {
  bryancalisto_nota_debito: { errors: ['taxes.missing /taxes'], why: 'a motive of 0.66 is taxed by no group' },
  teran_node_guia: {
    errors: ['support.authorization_number /transport/destinations/0/supporting_document/authorization_number'],
    why: 'an authorization number of 13 digits',
  },
  teran_node_liquidacion: {
    errors: [
      'tax.rate /lines/0/taxes/0/rate',
      'tax.amount /lines/0/taxes/0/tax_amount',
      'tax.rate /taxes/0/rate',
      'tax.amount /taxes/0/tax_amount',
    ],
    why: 'rate code 4 (15 %) with 12 %',
  },
};

/** Samples that are no documents to reproduce. */
const LEFT_OUT: readonly (readonly [name: RegExp, why: string])[] = [
  [/_INVALID/, 'not valid against its schema, or without a key'],
  [
    /^skeleton\//,
    'placeholders in every element of a schema (version0, a key of zeros), among them what no document of ours has: ' +
      'compensaciones, maquinaFiscal, tipoNegociable, retenciones of fuel and press, subsidies, rise, ' +
      'descuentoAdicional, valorDevolucionIva, and the versions that are not emitted (1.0.0 and 2.0.0 of 01, 03, 04, 06)',
  ],
];

const names = ['synthetic', 'public', 'skeleton'].flatMap((folder) =>
  REFERENCE !== '' && existsSync(join(SAMPLES, folder))
    ? readdirSync(join(SAMPLES, folder)).map((name) => `${folder}/${name}`)
    : [],
);
const reproduced = names.filter((name) => !LEFT_OUT.some(([pattern]) => pattern.test(name)));

describeWhere(REFERENCE === '' ? 'SRI_REFERENCE_DIR is not set' : null, 'samples as payloads of ours', () => {
  it('has samples of every type', () => {
    expect(new Set(reproduced.map((name) => read(name).name)).size).toBe(6);
  });

  it.each(reproduced)('%s is reproduced', (name) => {
    const theirs = read(name);
    const { content, issuer, sequential } = payloadOf(theirs);
    const type = documentType(content.documentType)!;
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
    const normalised = type.normalise(content, issuer).content;
    const ours = parse(Buffer.from(type.buildXml(normalised, issuer, { sequential, accessKey })));
    expect(ours.attributes).toEqual(theirs.attributes);

    const departures = byName(DEPARTURES, name) ?? [];
    const [inTheirs, inOurs] = [leavesOf(theirs), leavesOf(ours)];
    expect(differencesOf(inTheirs, inOurs)).toEqual(
      departures.map(({ at, theirs: one, ours: other }) => [at, one, other]),
    );
    // What both have stands in the same order.
    const shared = (from: readonly Leaf[], other: readonly Leaf[]) =>
      from.map(([at]) => at).filter((at) => other.some(([there]) => there === at));
    expect(shared(inOurs, inTheirs)).toEqual(shared(inTheirs, inOurs));

    const { findings } = preflight(content, issuer, { today: content.issueDate, maxIssueDateAgeDays: 90 });
    const errors = findings
      .filter(({ severity }) => severity === 'error')
      .map(({ rule, pointer }) => `${rule} ${pointer}`);
    expect(errors).toEqual(byName(REFUSED, name)?.errors ?? []);
  });
});

function byName<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.entries(table).find(([start]) => name.split('/')[1]?.startsWith(start) === true)?.[1];
}

const read = (name: string): Element => parse(readFileSync(join(SAMPLES, name)));
const parse = (bytes: Buffer): Element => withDocument(bytes, (document) => readElement(document.root));

/** Place and text of an element without children, or of an attribute. */
type Leaf = readonly [at: string, text: string];

/** Every leaf with its place: names from the root, with a position from the second of a name on. */
function leavesOf(element: Element, at = ''): readonly Leaf[] {
  const counts = new Map<string, number>();
  return element.children
    .filter(({ name }) => name !== 'Signature')
    .flatMap((child) => {
      const count = (counts.get(child.name) ?? 0) + 1;
      counts.set(child.name, count);
      const here = `${at}${child.name}${count > 1 ? `[${count}]` : ''}`;
      const attributes = [...child.attributes].map(([name, text]): Leaf => [`${here}/@${name}`, text]);
      const inside: readonly Leaf[] = child.children.length > 0 ? leavesOf(child, `${here}/`) : [[here, child.text]];
      return [...attributes, ...inside];
    });
}

function differencesOf(theirs: readonly Leaf[], ours: readonly Leaf[]): readonly (string | null)[][] {
  const inTheirs = new Map(theirs);
  const inOurs = new Map(ours);
  return [...new Set([...inTheirs.keys(), ...inOurs.keys()])]
    .map((at) => [at, inTheirs.get(at) ?? null, inOurs.get(at) ?? null])
    .filter(([, one, other]) => plain(one) !== plain(other));
}

/** A decimal without trailing zeros; anything else as it is. */
function plain(text: string | null | undefined): string | null | undefined {
  return typeof text === 'string' && /^\d+\.\d+$/.test(text) ? text.replace(/\.?0+$/, '') : text;
}
