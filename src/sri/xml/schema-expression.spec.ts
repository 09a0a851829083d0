import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anyDocument } from '../../../test/support/documents/any-document.js';
import { SchemaReadings } from '../../../test/support/schema-readings.js';
import { sweep } from '../../../test/support/xml-mutations.js';
import { documentTypes } from '../document-types/registry.js';

const NUMBERING = { sequential: 999_999_999, accessKey: '0'.repeat(49) };

const versions = documentTypes.flatMap((type) => {
  const files = [...new Set(type.examples.map(({ content }) => type.schemaFile(content)))];
  return files.map((file) => ({
    file,
    type,
    documents: type.examples
      .filter(({ content }) => type.schemaFile(content) === file)
      .map(({ name, content, issuer }) => ({
        name,
        xml: type.buildXml(type.normalise(content, issuer).content, issuer, NUMBERING),
      })),
  }));
});

it('is asked for every schema there is', () => {
  const folder = join(import.meta.dirname, '..', 'document-types');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.xsd'));
  expect(versions.map(({ file }) => file).sort()).toEqual(files.map((name) => join(folder, name)).sort());
});

describe.each(versions.map((version) => [version.file.replace(/^.*\//, ''), version] as const))(
  '%s as an expression',
  (_name, { file, type, documents }) => {
    const schema = new SchemaReadings(readFileSync(file, 'utf8'));
    afterAll(() => {
      schema.dispose();
    });

    it('matches every example', () => {
      expect(documents.filter(({ xml }) => !schema.expression.test(xml)).map(({ name }) => name)).toEqual([]);
    });

    it('matches any document that is valid and of this version', () => {
      let matched = 0;
      for (let seed = 1; seed <= 300; seed += 1) {
        const { content, issuer } = anyDocument(type.code, seed);
        if (type.schemaFile(content) !== file) continue;
        const xml = type.buildXml(type.normalise(content, issuer).content, issuer, NUMBERING);
        const isMatched = schema.expression.test(xml);
        expect([seed, isMatched]).toEqual([seed, schema.isValid(xml)]);
        if (isMatched) matched += 1;
      }
      expect(matched).toBeGreaterThan(20);
    });

    it('matches nothing that the schema refuses: every edge value and count of every element', () => {
      const verdicts = { matched: 0, other: 0 };
      const seen = new Set<string>();
      for (const { xml: seed } of documents) {
        for (const { xml, change } of [...sweep(seed), ...rootAttributes(seed)]) {
          if (seen.has(xml)) continue;
          seen.add(xml);
          const matched = schema.expression.test(xml);
          if (matched && !schema.isValid(xml)) throw new Error(`${change}: the schema refuses it`);
          verdicts[matched ? 'matched' : 'other'] += 1;
        }
      }
      expect(verdicts.matched).toBeGreaterThan(200);
      expect(verdicts.other).toBeGreaterThan(1_000);
    });

    it.each([
      ['as they are', (entry: string) => entry],
      ['with texts of the greatest length', (entry: string) => withTexts(entry, 'x'.repeat(300))],
      ['with escaped characters alone', (entry: string) => withTexts(entry, '&amp;'.repeat(300))],
      ['with characters that count as two', (entry: string) => withTexts(entry, '😀'.repeat(300))],
      ['with texts that are too long', (entry: string) => withTexts(entry, 'x'.repeat(5_000))],
    ])('is done with a document of the largest size, whole or broken anywhere: entries %s', (_what, changed) => {
      const [{ xml } = { xml: '' }] = documents;
      const entries = ['detalle', 'docSustento', 'impuesto'].map(
        (name) => new RegExp(`<${name}>.*?</${name}>`).exec(xml)?.[0],
      );
      const entry = entries.find((found) => found !== undefined) ?? '';
      const made = changed(entry);
      const large = xml.replace(entry, () => made.repeat(Math.ceil((300 * 1024) / made.length)));
      expect(large.length).toBeGreaterThanOrEqual(300 * 1024);
      // None of these ends within the time of a test if it is read in more ways than one.
      const broken = [1, 2, 10, 20, 500, 5_000, 150 * 1024].map((end) => large.slice(0, -end));
      expect(broken.filter((text) => schema.expression.test(text))).toEqual([]);
      expect(schema.expression.test(large)).toBe(schema.isValid(large));
    });

    it('is done with many of each element that may be repeated, broken at the end', () => {
      const names = [
        ...readFileSync(file, 'utf8').matchAll(/<xs:element name="(\w+)"[^>]*maxOccurs="(?:unbounded|\d\d+)"/g),
      ].map(([, name = '']) => name);
      let tried = 0;
      for (const name of new Set(names)) {
        const entry = new RegExp(`<${name}[ >].*?</${name}>`);
        const holder = documents.find(({ xml }) => entry.test(xml));
        // Some of the SRI's elements are in no example of this version.
        if (holder === undefined) continue;
        tried += 1;
        const many = holder.xml.replace(entry, (one) => one.repeat(40));
        expect([name, schema.expression.test(`${many.slice(0, -1)} >`)]).toEqual([name, false]);
        expect([name, schema.expression.test(many)]).toEqual([name, schema.isValid(many)]);
      }
      expect(tried).toBeGreaterThan(0);
    });
  },
);

/** The entry with another text wherever a text is free in its length: its description, or what stands for one. */
function withTexts(entry: string, text: string): string {
  return entry.replace(
    /<(descripcion|codigoRetencion|numDocSustento)>[^<]*</g,
    (_, name: string) => `<${name}>${text}<`,
  );
}

/** Edge values in what the root element says of itself. */
function* rootAttributes(xml: string): Generator<{ readonly xml: string; readonly change: string }> {
  for (const attribute of ['id', 'version']) {
    for (const value of [
      '',
      ' ',
      'a b',
      'é',
      'a:b',
      ':',
      '1.1.0',
      '-1',
      '&amp;',
      '&#x41;',
      '<',
      'a"b="c',
      'comprobante',
      'comprobantes',
      'x'.repeat(1_000),
    ]) {
      yield {
        xml: xml.replace(new RegExp(` ${attribute}="[^"]*"`), () => ` ${attribute}="${value}"`),
        change: `@${attribute} = ${value}`,
      };
    }
    yield { xml: xml.replace(new RegExp(` ${attribute}="[^"]*"`), ''), change: `no @${attribute}` };
  }
}
