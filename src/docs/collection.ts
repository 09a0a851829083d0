import { type Description, isReference, type Method, nameOf, type Operation, operationsOf, type Parameter, type Schema } from '../platform/openapi/description.js';
import { SAMPLE_DAY, sampleId, sampleOf } from '../platform/openapi/samples.js';
import { type CollectionBody, bodiesOf } from './collection-bodies.js';

const FORMAT = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

const ABOUT = [
  'Set `base_url` and `api_key`, then send. What a call makes fills the variable of its id, so that the next calls find it: create an issuer, an establishment and an emission point, upload a certificate, issue a document.',
  '',
  'Calls of people take `access_token`, which logging in fills. Filters are there, switched off. Bodies of further document types are kept as examples of the call.',
].join('\n');

/** Variables that somebody sets or that scripts fill; those of ids come from the paths. */
const VARIABLES: Readonly<Record<string, readonly [value: string, about: string]>> = {
  base_url: ['http://127.0.0.1:3000', 'Address of the service; here that of `npm start`'],
  api_key: ['', 'Key of `POST /auth/api-keys`, or the one that `npm start` prints'],
  access_token: ['', 'Of a person; logging in fills it'],
  refresh_token: ['', 'Of a person; logging in fills it'],
  email: ['', 'Of the person who signs up or in'],
  password: ['', 'Of the person who signs up or in'],
  current_password: ['', 'Of the signed-in person who sets another `password`'],
  token: ['', 'Out of the link in a mail'],
  link_token: ['', 'Out of the 409 that signing in with Google answers where an account has the address'],
  certificate_password: ['', 'Of the signing certificate to upload'],
  today: [SAMPLE_DAY, 'Today in Ecuador; set before each call'],
  this_month: [String(sampleOf('fiscal_period', '')), 'Fiscal period of today; set before each call'],
};

/** Fields of answers that fill a variable of their name. */
const TOKENS = ['access_token', 'refresh_token'];

const SET_DAY = [
  '// Ecuador is five hours behind UTC, all year.',
  'const today = new Date(Date.now() - 5 * 3600 * 1000).toISOString().slice(0, 10);',
  "pm.collectionVariables.set('today', today);",
  "pm.collectionVariables.set('this_month', today.slice(5, 7) + '/' + today.slice(0, 4));",
];

interface Call {
  readonly path: string;
  readonly method: Method;
  readonly operation: Operation;
}

/** `docs/collection.postman.json`: every call as a request to send, in the format (2.1) that Postman, Bruno and others read. */
export function collectionOf(description: Description): string {
  const calls = operationsOf(description.paths);
  const ids = [...new Set(calls.flatMap(({ path }) => [...path.matchAll(/\{(\w+_id)\}/g)].map(([, name]) => name ?? '')))];
  const writer = new CollectionWriter(description, new Set(ids));
  const collection = {
    info: { _postman_id: sampleId('collection'), name: description.info['title'], version: description.info['version'], description: ABOUT, schema: FORMAT },
    auth: { type: 'apikey', apikey: attributes({ key: 'X-API-Key', value: placeholderOf('api_key'), in: 'header' }) },
    event: [script('prerequest', SET_DAY)],
    variable: [
      ...Object.entries(VARIABLES).map(([key, [value, about]]) => ({ key, value, type: 'string', description: about })),
      ...ids.map((key) => ({ key, value: '', type: 'string', description: 'Filled by the call that makes one, where a call does; else take it from a list' })),
    ],
    item: (description.tags ?? [])
      .map(({ name, description: about }) => ({ name, description: about, item: calls.filter(({ operation }) => operation.tags?.[0] === name).map((call) => writer.item(call)) }))
      .filter(({ item }) => item.length > 0),
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

class CollectionWriter {
  constructor(
    private readonly description: Description,
    private readonly ids: ReadonlySet<string>,
  ) {}

  item(call: Call): object {
    const { operation } = call;
    const bodies = bodiesOf(operation, this.description, this.ids);
    const [first, ...others] = bodies;
    const fills = this.fills(call);
    return {
      name: operation.summary ?? operation.operationId,
      ...(fills.length === 0 ? {} : { event: [script('test', ['if (pm.response.code < 300) {', '  const made = pm.response.json();', ...fills, '}'])] }),
      request: { ...this.request(call, first), description: operation.description ?? '' },
      response: others.map((body) => ({ name: body.name, originalRequest: this.request(call, body) })),
    };
  }

  private request({ path, method, operation }: Call, body: CollectionBody | undefined): object {
    const auth = authOf(operation);
    return {
      method: method.toUpperCase(),
      ...(auth === undefined ? {} : { auth }),
      header: [...(body?.mediaType === undefined ? [] : [{ key: 'Content-Type', value: body.mediaType }]), ...this.parameters(operation, 'header').map((one) => this.optional(one))],
      url: this.url(path, operation),
      ...(body === undefined ? {} : { body: body.content }),
    };
  }

  private url(path: string, operation: Operation): object {
    const inPath = this.parameters(operation, 'path');
    const query = this.parameters(operation, 'query').map((one) => this.optional(one));
    const sent = query.filter(({ disabled }) => disabled !== true).map(({ key, value }) => `${key}=${value}`);
    const segments = path.slice(1).split('/').map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1'));
    return {
      raw: `${placeholderOf('base_url')}/${segments.join('/')}${sent.length === 0 ? '' : `?${sent.join('&')}`}`,
      host: [placeholderOf('base_url')],
      path: segments,
      ...(query.length === 0 ? {} : { query }),
      ...(inPath.length === 0 ? {} : { variable: inPath.map((one) => ({ key: one.name, value: this.valueOf(one), description: this.about(one) })) }),
    };
  }

  private optional(parameter: Parameter): { key: string; value: string; description: string; disabled?: true } {
    return { key: parameter.name, value: this.valueOf(parameter), description: this.about(parameter), ...(parameter.required === true ? {} : { disabled: true }) };
  }

  private valueOf(parameter: Parameter): string {
    const { name, schema = {}, example } = parameter;
    if (this.ids.has(name)) return placeholderOf(name);
    // Another one each time: the same key means the same document.
    if (name === 'Idempotency-Key') return placeholderOf('$guid');
    if (name === 'X-Tenant-Id') return placeholderOf('tenant_id');
    if (schema.format === 'date') return placeholderOf('today');
    const value = example ?? Object.values(parameter.examples ?? {})[0]?.value ?? schema.default ?? schema.examples?.[0];
    return value === undefined ? (valuesOf(schema, this.description)[0] ?? '') : (typeof value === 'string' ? value : JSON.stringify(value));
  }

  private about({ description = '', schema = {} }: Parameter): string {
    const values = valuesOf(schema, this.description);
    const choice = values.length === 0 ? '' : `One of ${values.join(', ')}`;
    return [description, choice].filter((part) => part !== '').join('. ');
  }

  private parameters(operation: Operation, where: Parameter['in']): readonly Parameter[] {
    return (operation.parameters ?? []).flatMap((one) => {
      const parameter = isReference(one) ? this.description.components.parameters[nameOf(one.$ref)] : one;
      return parameter?.in === where ? [parameter] : [];
    });
  }

  /** Lines of a script that keeps what the call made: its id under the name by which other calls read it, and tokens. */
  private fills({ path, method, operation }: Call): readonly string[] {
    if (method !== 'post') return [];
    const answer = ['200', '201', '202'].map((status) => operation.responses[status]).find((one) => one !== undefined);
    const shown = answer === undefined || isReference(answer) ? undefined : Object.values(answer.content?.['application/json']?.examples ?? {})[0]?.value;
    if (typeof shown !== 'object' || shown === null) return [];
    const made = Object.entries(shown).flatMap(([field, value]): [field: string, variable: string][] => {
      const variable = field === 'id' ? this.idOf(path, value) : TOKENS.includes(field) || (!('id' in shown) && this.ids.has(field)) ? field : undefined;
      // What the address names already is not new.
      return variable === undefined || path.includes(`{${variable}}`) ? [] : [[field, variable]];
    });
    return made.map(([field, variable]) => `  pm.collectionVariables.set('${variable}', made.${field});`);
  }

  /** The variable of an answer's id: that of the calls below the same address, or the one that its example is of. */
  private idOf(path: string, shown: unknown): string | undefined {
    const ids = [...this.ids];
    return ids.find((id) => this.description.paths[`${path}/{${id}}`] !== undefined) ?? ids.find((id) => sampleId(id) === shown);
  }
}

/** What differs from the key of the whole collection. */
function authOf({ security = [] }: Operation): object | undefined {
  if (security.length === 0) return { type: 'noauth' };
  if (security.some((scheme) => 'X-API-Key' in scheme)) return undefined;
  return { type: 'bearer', bearer: attributes({ token: placeholderOf('access_token') }) };
}

function valuesOf(schema: Schema, description: Description): readonly string[] {
  const named = schema.$ref === undefined ? schema : (description.components.schemas[nameOf(schema.$ref)] ?? {});
  return (named.enum ?? []).map(String);
}

const attributes = (values: Readonly<Record<string, string>>): readonly object[] => Object.entries(values).map(([key, value]) => ({ key, value, type: 'string' }));
const script = (listen: string, exec: readonly string[]): object => ({ listen, script: { type: 'text/javascript', exec } });

/** Where a variable's value is put in. */
const placeholderOf = (variable: string): string => `{{${variable}}}`;
