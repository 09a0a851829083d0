import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type DtoClass, fieldsOf } from '../../src/platform/http/field-spec.js';
import type { Description } from '../../src/platform/openapi/description.js';
import { ID_TYPE_ALIASES } from '../../src/sri/tables/documents.js';

/** Who checks a body by the description before it is sent must not refuse a name that the API takes instead of a code. */
const source = join(import.meta.dirname, '..', '..', 'src');
const exported: unknown[] = [];
// One after another: Jest links one module at a time.
for (const path of readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.dto.ts'))) {
  exported.push(...Object.values((await import(join(source, path))) as object));
}
const types = new Set(exported.filter((value): value is DtoClass => typeof value === 'function' && value.prototype !== undefined));

/** Names of the fields that take an alias as another value. */
const aliased = new Set(
  [...types].flatMap((type) =>
    [...fieldsOf(type)].flatMap(([name, spec]) => {
      const isTaken = Object.entries(ID_TYPE_ALIASES).every(([alias, code]) => {
        const checked = spec.nested === null ? spec.check(alias) : null;
        return checked?.ok === true && checked.value === code;
      });
      return isTaken ? [name] : [];
    }),
  ),
);

it('every field that takes names for codes is known', () => {
  expect([...aliased].sort()).toEqual(['buyer_id_type', 'id_type', 'supplier_id_type']);
});

it.each(Object.keys(ID_TYPE_ALIASES))('the published schema of each such field takes %s', (alias) => {
  const { components } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Description;
  const ajv = new Ajv2020({ strict: false });
  const published = Object.entries(components.schemas).flatMap(([schema, { properties = {} }]) =>
    Object.entries(properties).flatMap(([name, property]) => (aliased.has(name) ? [[`${schema}.${name}`, property] as const] : [])),
  );
  expect(published.map(([at]) => at)).toEqual(expect.arrayContaining(['DocumentCreate.buyer_id_type', 'BuyerCreate.buyer_id_type']));
  const refused = published.filter(([, property]) => !ajv.validate(property, alias)).map(([at]) => at);
  expect(refused).toEqual([]);
});
