import { type Description, nameOf, type Operation } from '../platform/openapi/description.js';
import { SAMPLE_DAY, sampleId, sampleOf } from '../platform/openapi/samples.js';

/** A body to send, in the words of the collection's format. */
export interface CollectionBody {
  readonly name: string;
  /** undefined where the program that sends must say it, with the boundary of a form's parts. */
  readonly mediaType: string | undefined;
  readonly content: object;
}

/** Fields whose value is nobody's but the caller's. */
const OWN = ['password', 'current_password', 'token', 'link_token', 'refresh_token'];

/** The bodies of a call, of which the first is the one to send: a form where there are files, else each example in JSON. */
export function bodiesOf(operation: Operation, description: Description, ids: ReadonlySet<string>): readonly CollectionBody[] {
  const content = operation.requestBody?.content ?? {};
  const form = content['multipart/form-data'];
  if (form?.schema !== undefined) {
    const schema = form.schema.$ref === undefined ? form.schema : description.components.schemas[nameOf(form.schema.$ref)];
    const parts = Object.entries(schema?.properties ?? {}).map(([key, { contentMediaType, description: about = '' }]) =>
      contentMediaType === undefined ? { key, type: 'text', value: key === 'password' ? '{{certificate_password}}' : '', description: about } : { key, type: 'file', src: null, description: about },
    );
    return [{ name: 'form', mediaType: undefined, content: { mode: 'formdata', formdata: parts } }];
  }
  return Object.entries(content['application/json']?.examples ?? {}).map(([name, { summary, value }]) => ({
    name: summary ?? name,
    mediaType: 'application/json',
    content: { mode: 'raw', raw: JSON.stringify(withVariables(value, operation.tags?.[0] === 'auth', ids), null, 2), options: { raw: { language: 'json' } } },
  }));
}

/** Puts variables where an example has an id, a day, or what is the caller's own. */
function withVariables(example: unknown, ofPerson: boolean, ids: ReadonlySet<string>): unknown {
  const variables = new Map<unknown, string>([[SAMPLE_DAY, '{{today}}'], [sampleOf('fiscal_period', ''), '{{this_month}}'], ...[...ids].map((id) => [sampleId(id), `{{${id}}}`] as const)]);
  return JSON.parse(
    JSON.stringify(example, (field, value: unknown) => {
      if (typeof value !== 'string') return value;
      return OWN.includes(field) || (ofPerson && field === 'email') ? `{{${field}}}` : (variables.get(value) ?? value);
    }),
  );
}
