import { SeededRandom } from './seeded-random.js';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly contentEncoding?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly responses: Readonly<Record<string, unknown>>;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean; readonly schema?: Schema }[];
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface FuzzRequest {
  /** `POST /documents`. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Statuses that the description names for the operation. */
  readonly declared: readonly number[];
}

/** What the description cannot know. */
export interface Knowledge {
  /** Ids that exist, by the name of the parameter or field. */
  readonly ids: Readonly<Record<string, readonly string[]>>;
  /** Bodies that are good beyond their schema, by the schema's name. */
  readonly bodies: Readonly<Record<string, () => Record<string, unknown>>>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** Optional fields deeper than this are left out. */
const DEEPEST = 3;

/** Values that no field wants, or that one takes by its bound alone. */
const NASTY: readonly unknown[] = [
  null, true, false, 0, -1, 1.5, 1e300, -0.01, 2 ** 31, Number.MAX_SAFE_INTEGER, '', ' ', 'x', '\u0000', 'a\nb', '\ud800', '\u202e', '😀'.repeat(400), 'x'.repeat(5_000), '9'.repeat(200), '1e3', '-0',
  '٣', '2026-02-30', '0000-00-00', '0001-01-01', '9999-12-31', `'; drop table documents; --`, '%00', '../../etc/passwd', '${7*7}', '<script>', '\u0000'.repeat(100), 'NaN', 'null', '__proto__', 'constructor', 'toString', 'a@b', 'a@b.co\r\nBcc: c@d.co',
  '00000000-0000-0000-0000-000000000000', [], [[]], {}, [null], [{}], { $ne: null }, { length: 1 }, JSON.parse('{"__proto__":{"polluted":true}}'), { constructor: { prototype: { polluted: true } } },
  JSON.parse(`${'['.repeat(30)}${']'.repeat(30)}`), JSON.parse(`${'{"a":'.repeat(15)}1${'}'.repeat(15)}`), Array.from({ length: 3_000 }, () => 0), Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, i])),
];
const EXTRA_KEYS = ['unknown', 'id', 'tenant_id', 'status', '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '', '😀', 'a.b', '$where'];
/** What becomes of a whole body. */
const SPOILED: readonly ((json: string) => { body: string; type?: string })[] = [
  () => ({ body: '' }), () => ({ body: 'null' }), () => ({ body: '[]' }), () => ({ body: '"x"' }), (json) => ({ body: `[${json}]` }), (json) => ({ body: json.slice(0, -1) }), (json) => ({ body: json.replace('{', '{"a":1,"a":2,') }),
  (json) => ({ body: `\ufeff${json}` }), (json) => ({ body: json, type: 'text/plain' }), (json) => ({ body: json, type: 'application/json; charset=utf-16' }), (json) => ({ body: json, type: 'multipart/form-data; boundary=x' }),
  () => ({ body: `{"a":${'['.repeat(3_000)}${']'.repeat(3_000)}}` }), () => ({ body: `{"a":"${'x'.repeat(1_100_000)}"}` }), (json) => ({ body: json.replace(/:\s*"[^"]*"/, ':1e400') }),
];
const HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'idempotency-key': 'k' }, { 'idempotency-key': '' }, { 'idempotency-key': 'x'.repeat(300) }, { prefer: 'wait=x, respond-async' }, { prefer: 'wait=1' }, { 'accept-language': '*;q=x,en' }, { 'accept-language': 'x'.repeat(3_000) },
  { 'x-request-id': '<script>' }, { 'x-tenant-id': 'x' }, { accept: 'application/xml' }, { 'x-forwarded-for': "'" }, { origin: 'null' }, { cookie: 'a=%;;==; service_access_token=' },
];

/** Requests made out of the description of an API, good and broken; a seed and a number name each of them. */
export class OpenApiFuzz {
  private readonly operations: readonly (readonly [name: string, method: string, path: string, operation: Operation])[];

  constructor(
    private readonly description: OpenApi,
    private readonly seed: number,
    private readonly knowledge: Knowledge,
  ) {
    this.operations = Object.entries(description.paths).flatMap(([path, item]) =>
      METHODS.flatMap((method) => (item[method] === undefined ? [] : [[`${method.toUpperCase()} ${path}`, method.toUpperCase(), path, item[method]] as const])),
    );
  }

  get names(): readonly string[] {
    return this.operations.map(([name]) => name);
  }

  /** The request of a number: all operations in turn. */
  request(number: number): FuzzRequest {
    const random = new SeededRandom(Math.imul(this.seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
    const [name, method, path, operation] = this.operations[number % this.operations.length]!;
    const good = random.chance(0.35);
    const spoil = (share: number): boolean => !good && random.chance(share);
    const parameters = operation.parameters ?? [];
    const address = path.replace(/\{(\w+)\}/g, (_all, parameter: string) => {
      const value = spoil(0.25) ? random.pick(NASTY) : this.text(parameters.find((one) => one.name === parameter)?.schema ?? {}, parameter, random);
      return encodeURIComponent(wellFormed(value)) || '-';
    });
    const query = parameters.filter((one) => one.in === 'query' && (one.required === true || random.chance(0.4))).flatMap((one): [string, string][] => {
      const value = wellFormed(spoil(0.5) ? random.pick(NASTY) : this.text(one.schema ?? {}, one.name, random));
      return spoil(0.1) ? [[one.name, value], [one.name, value]] : [[one.name, value]];
    });
    if (spoil(0.1)) query.push([random.pick(EXTRA_KEYS), 'x']);
    const { body, type } = this.body(operation, good, random);
    return {
      operation: name,
      method,
      path: query.length === 0 ? address : `${address}?${new URLSearchParams(query.map(([key, value]) => [key, value.slice(0, 2_000)])).toString()}`,
      headers: { ...(spoil(0.15) ? random.pick(HEADERS) : {}), ...(body === undefined ? {} : { 'content-type': type ?? 'application/json' }) },
      body,
      declared: Object.keys(operation.responses).map(Number),
    };
  }

  private body(operation: Operation, good: boolean, random: SeededRandom): { body?: string; type?: string } {
    const schema = operation.requestBody?.content['application/json']?.schema;
    if (schema === undefined) return {};
    const value = this.value(schema, '', random, 0) as Record<string, unknown>;
    if (good) return { body: JSON.stringify(value) };
    if (random.chance(0.12)) return random.pick(SPOILED)(JSON.stringify(value));
    for (let changes = 1 + Math.floor(random.between(0, 3)); changes > 0; changes -= 1) this.change(value, random);
    return { body: JSON.stringify(value) };
  }

  /** Breaks one place of a body: somewhere in it a value is replaced, left out, or one is added. */
  private change(root: Record<string, unknown>, random: SeededRandom): void {
    let place: Record<string, unknown> | unknown[] = root;
    while (random.chance(0.6)) {
      const inner: (Record<string, unknown> | unknown[])[] = Object.values(place).filter((value): value is Record<string, unknown> => typeof value === 'object' && value !== null && !NASTY.includes(value));
      if (inner.length === 0) break;
      place = random.pick(inner);
    }
    const kind = random.next();
    const keys = Object.keys(place);
    if (kind < 0.2 || keys.length === 0) define(place, Array.isArray(place) ? String(place.length) : random.pick(EXTRA_KEYS), random.pick(NASTY));
    else if (kind < 0.35) Reflect.deleteProperty(place, random.pick(keys));
    else define(place, random.pick(keys), random.pick(NASTY));
  }

  /** A value that the schema takes. */
  private value(schema: Schema, name: string, random: SeededRandom, depth: number): unknown {
    const known = schema.$ref?.split('/').at(-1);
    if (known !== undefined) {
      const body = this.knowledge.bodies[known];
      const generated = this.value(this.description.components.schemas[known] ?? {}, name, random, depth) as Record<string, unknown>;
      // A good body with now and then an optional field as its schema describes it.
      return body === undefined ? generated : { ...(random.chance(0.2) ? generated : {}), ...body() };
    }
    if (schema.allOf !== undefined) return this.value(schema.allOf[0] ?? {}, name, random, depth);
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices !== undefined) return this.value(random.pick(choices), name, random, depth);
    if (typesOf(schema).includes('null') && random.chance(0.2)) return null;
    if (schema.properties !== undefined) {
      const wanted = Object.entries(schema.properties).filter(([key]) => schema.required?.includes(key) === true || (depth < DEEPEST && random.chance(0.25)));
      return Object.fromEntries(wanted.map(([key, inner]) => [key, this.value(inner, key, random, depth + 1)]));
    }
    switch (typesOf(schema)[0]) {
      case 'null':
        return null;
      case 'array':
        return Array.from({ length: Math.max(schema.minItems ?? 0, Math.floor(random.between(0, 3))) }, () => this.value(schema.items ?? {}, name, random, depth + 1));
      case 'boolean':
        return random.chance(0.9);
      case 'integer':
      case 'number':
        return random.pick([schema.minimum ?? 0, Math.min(schema.maximum ?? 100, 100), schema.maximum ?? 1, 1]);
      default:
        return this.text(schema, name, random);
    }
  }

  private text(schema: Schema, name: string, random: SeededRandom): unknown {
    if (['integer', 'boolean'].includes(typesOf(schema)[0] ?? '')) return this.value(schema, name, random, 0);
    if (schema.$ref !== undefined) return this.value(schema, name, random, 0);
    if (schema.enum !== undefined) return random.pick(schema.enum);
    const ids = this.knowledge.ids[name];
    if (ids !== undefined && random.chance(0.8)) return random.pick(ids);
    if (schema.format === 'uuid' || name.endsWith('_id')) return '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
    if (schema.examples !== undefined) return schema.examples[0];
    if (schema.default !== undefined) return schema.default;
    if (schema.format === 'date') return '2026-08-25';
    if (schema.format === 'email') return `fuzz${Math.floor(random.between(0, 1e9))}@example.com`;
    if (schema.contentEncoding === 'base64') return 'QUJD';
    if (schema.format === 'password') return 'cuatro palabras al azar';
    const digits = /^\^\[0-9\]\{(\d+)\}\$$/.exec(schema.pattern ?? '')?.[1];
    if (digits !== undefined) return String(Math.floor(random.between(0, 10 ** Number(digits)))).padStart(Number(digits), '1');
    if (schema.pattern !== undefined) return '10.00';
    return random.pick(['Ñandú', 'x', 'A-1', 'y'.repeat(Math.min(schema.maxLength ?? 10, 300))]).slice(0, schema.maxLength ?? 300);
  }
}

const typesOf = ({ type }: Schema): readonly string[] => (type === undefined ? [] : [type].flat());

/** Sets an own property, whatever its name. */
const define = (target: object, key: string, value: unknown): void => {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
};

/** As text that an address can hold. */
const wellFormed = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 1_500).replace(/\p{Surrogate}/gu, '?');

/** The request as a command that repeats it. */
export function asCommand({ method, path, headers, body }: FuzzRequest, base: string): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const named = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return ['curl -X', method, quoted(base + path), ...named, ...(body === undefined ? [] : ['--data-binary', quoted(body.slice(0, 4_000))])].join(' ');
}
