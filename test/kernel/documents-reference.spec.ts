import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentTypes } from '../../src/sri/document-types/registry.js';
import { validateAgainstSchema } from '../../src/sri/xml/schema.js';
import { describeWhere } from '../support/describe-where.js';
import { OfficialSchema } from '../support/official-schema.js';
import { mutate, MUTATION_KINDS, seeded, sweep } from '../support/xml-mutations.js';

/**
 * Our documents and our schemas against the SRI's own files, which are not part of
 * the repository. Set SRI_REFERENCE_DIR to a folder with `xsd/` (and `samples/`).
 */
const REFERENCE = process.env['SRI_REFERENCE_DIR'] ?? '';
const MUTATIONS = Number(process.env['MUTATIONS'] ?? 1_200);
const SEED = 20_260_915;

/** Official file per type and version. */
const OFFICIAL: Readonly<Record<string, string>> = {
  '01/1.1.0': 'factura_V1.1.0.xsd',
  '01/2.1.0': 'factura_V2.1.0.xsd',
  '03/1.1.0': 'LiquidacionCompra_V1.1.0.xsd',
  '04/1.1.0': 'NotaCredito_V1.1.0.xsd',
  '05/1.0.0': 'NotaDebito_V1.0.0.xsd',
  '06/1.1.0': 'GuiaRemision_V1.1.0.xsd',
  '07/1.0.0': 'ComprobanteRetencion_V1.0.0.xsd',
  '07/2.0.0': 'ComprobanteRetencion_V2.0.0.xsd',
};

const cases = documentTypes.flatMap((type) => {
  const versions = new Map(type.examples.map(({ content }) => [type.version(content), type.schemaFile(content)]));
  return [...versions].map(([version, schemaFile]) => {
    const examples = type.examples.filter(({ content }) => type.version(content) === version);
    return [`${type.code}/${version}`, type, schemaFile, examples] as const;
  });
});

it('compares every version that is issued', () => {
  expect(cases.map(([key]) => key)).toEqual(Object.keys(OFFICIAL));
});

describeWhere(REFERENCE === '' ? 'SRI_REFERENCE_DIR is not set' : null, 'the official schemas', () => {
  const { stackTraceLimit } = Error;
  // The library makes an error of every fault in tens of thousands of documents; nobody reads where it came from.
  beforeAll(() => (Error.stackTraceLimit = 0));
  afterAll(() => (Error.stackTraceLimit = stackTraceLimit));

  describe.each(cases)('type %s against the official schema', (key, type, schemaFile, examples) => {
    let official: OfficialSchema;
    beforeAll(() => {
      official = new OfficialSchema(REFERENCE, OFFICIAL[key]!);
    });
    afterAll(() => {
      official.dispose();
    });

    it.each(examples.map((example) => [example.name, example] as const))('accepts our %s', (_name, example) => {
      const { content } = type.normalise(example.content, example.issuer);
      expect(official.problems(type.buildXml(content, example.issuer, example.numbering))).toEqual([]);
    });

    it('differs from ours in one thing: the second legend of RIMPE, which the published file does not know', () => {
      const [example] = examples;
      const { content } = type.normalise(example!.content, example!.issuer);
      const popular = { ...example!.issuer, rimpe: 'popular_business' } as const;
      const xml = type.buildXml(content, popular, example!.numbering);
      const published = new OfficialSchema(REFERENCE, OFFICIAL[key]!, true);
      try {
        expect(ours(xml, schemaFile)).toBe('valid');
        const problems = published.problems(xml);
        expect(problems.length).toBeGreaterThan(0);
        expect(problems.filter((problem) => !problem.includes('contribuyenteRimpe'))).toEqual([]);
      } finally {
        published.dispose();
      }
    });

    it('gives the same verdict as our schema on the samples at hand', () => {
      const found = samples(type.rootElement, REFERENCE);
      expect(found.length).toBeGreaterThan(0);
      for (const { name, xml } of found) expect([name, ours(xml, schemaFile)]).toEqual([name, theirs(xml, official)]);
    });

    it('gives the same verdict as our schema on every edge value and count of every element', () => {
      let compared = 0;
      for (const skeleton of skeletons(type.rootElement, REFERENCE, key)) {
        expect([theirs(skeleton, official), ours(skeleton, schemaFile)]).toEqual(['valid', 'valid']);
        for (const { xml, change } of sweep(skeleton)) {
          const verdict = theirs(xml, official);
          if (ours(xml, schemaFile) !== verdict) throw new Error(`${change}: the official schema says ${verdict}`);
          compared += 1;
        }
      }
      expect(compared).toBeGreaterThan(1000);
    });

    it(`gives the same verdict as our schema on ${MUTATIONS} seeded mutations`, () => {
      const random = seeded(SEED);
      const seeds = [
        ...examples.map(({ content, issuer, numbering }) =>
          type.buildXml(type.normalise(content, issuer).content, issuer, numbering),
        ),
        // The skeleton holds every optional element: most mutations start from it.
        ...Array.from({ length: 8 }, () => skeletons(type.rootElement, REFERENCE, key)).flat(),
      ];
      const verdicts = { valid: 0, invalid: 0 };
      const kinds = new Map<string, number>();
      for (let round = 0; round < MUTATIONS; round += 1) {
        const { xml, change, kind } = mutate(seeds[round % seeds.length]!, random);
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
        const verdict = theirs(xml, official);
        expect([change, ours(xml, schemaFile)]).toEqual([change, verdict]);
        verdicts[verdict] += 1;
      }
      // Neither verdict may be rare, or the comparison would prove little.
      expect(Math.min(verdicts.valid, verdicts.invalid)).toBeGreaterThan(MUTATIONS / 20);
      expect([...kinds.keys()].sort()).toEqual([...MUTATION_KINDS].sort());
      expect(Math.min(...kinds.values())).toBeGreaterThan(MUTATIONS / 40);
    });
  });
});

type Verdict = 'valid' | 'invalid';

function ours(xml: string, schemaFile: string): Verdict {
  return validateAgainstSchema(xml, schemaFile).length === 0 ? 'valid' : 'invalid';
}

function theirs(xml: string, official: OfficialSchema): Verdict {
  return official.problems(xml).length === 0 ? 'valid' : 'invalid';
}

function samples(root: string, referenceDir: string): readonly { readonly name: string; readonly xml: string }[] {
  return (
    ['synthetic', 'public', 'skeleton']
      .map((folder) => join(referenceDir, 'samples', folder))
      .filter((folder) => existsSync(folder))
      .flatMap((folder) => readdirSync(folder).map((name) => ({ name, xml: readFileSync(join(folder, name), 'utf8') })))
      // The root has a version; an invoice also holds an element named `guiaRemision`.
      .filter(({ xml }) => new RegExp(`<${root}\\s[^>]*version=`).test(xml))
  );
}

function skeletons(root: string, referenceDir: string, key: string): readonly string[] {
  const version = key.slice(3);
  return samples(root, referenceDir)
    .filter(({ name }) => name.endsWith(`_V${version}.xml`))
    .map(({ xml }) => xml);
}
