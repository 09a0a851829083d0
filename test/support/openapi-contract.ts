import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { type Description, isReference, METHODS, type Method, type Schema } from '../../src/platform/openapi/description.js';

/**
 * Holds answers against the description of the API: the status is named, the media type too, and the body fits its
 * schema and has no field that the schema does not tell.
 */
export class OpenApiContract {
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly paths: readonly { readonly pattern: RegExp; readonly path: string }[];
  private readonly ajv: Ajv2020;

  private constructor(private readonly description: Description) {
    this.ajv = new Ajv2020({ strict: false, allErrors: true });
    (formats as unknown as (one: Ajv2020) => void)(this.ajv);
    this.ajv.addSchema(closed(description), 'sello');
    // Fixed words before places, as the router has them.
    this.paths = Object.keys(description.paths)
      .sort((a, b) => places(a) - places(b))
      .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`) }));
  }

  static read(): OpenApiContract {
    return new OpenApiContract(JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Description);
  }

  /** What is wrong with an answer, or null. `text` is its body. */
  faultOf(method: string, address: string, status: number, contentType: string | null, text: string): string | null {
    const { pathname } = new URL(address, 'http://service');
    const path = this.paths.find(({ pattern }) => pattern.test(pathname))?.path;
    const verb = METHODS.find((one) => one === method.toLowerCase());
    const operation = path === undefined || verb === undefined ? undefined : this.description.paths[path]?.[verb];
    const at = `${method} ${pathname}: ${status}`;
    if (path === undefined || operation === undefined) return `${at} is a call that the description does not name`;
    const answer = operation.responses[String(status)];
    if (answer === undefined) return `${at} is not told of ${operation.operationId}`;
    const { content } = isReference(answer) ? this.description.components.responses[answer.$ref.split('/').at(-1)!]! : answer;
    if (content === undefined) return text === '' || status === 302 ? null : `${at} has a body that is not told of`;
    const mediaType = contentType?.split(';')[0] ?? 'none';
    const told = content[mediaType];
    if (told === undefined) return `${at} is ${mediaType}, not ${Object.keys(content).join(' or ')}`;
    if (mediaType !== 'application/json' || told.schema === undefined) return null;
    const validate = this.validatorOf(`${verb as Method} ${path} ${status}`, told.schema);
    return validate(JSON.parse(text)) ? null : `${at}: ${this.ajv.errorsText(validate.errors)} in ${text.slice(0, 1_000)}`;
  }

  private validatorOf(key: string, schema: Schema): ValidateFunction {
    const known = this.validators.get(key);
    if (known !== undefined) return known;
    const made = this.ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"sello#/components/')) as object);
    this.validators.set(key, made);
    return made;
  }
}

const places = (path: string): number => path.split('{').length;

/** Callers must bear new fields; these tests must not miss one that nobody described. */
function closed(description: Description): object {
  const copy = structuredClone(description);
  for (const schema of Object.values(copy.components.schemas)) if (schema.properties !== undefined) schema.additionalProperties ??= false;
  return copy;
}

/** `fetch` that keeps what is wrong with the answers it brought. */
export function checkedFetch(contract: OpenApiContract, faults: string[]): (request: Request) => Promise<Response> {
  return async (request) => {
    const response = await fetch(request);
    const text = await response.clone().text();
    const fault = contract.faultOf(request.method, request.url, response.status, response.headers.get('content-type'), text);
    if (fault !== null) faults.push(fault);
    return response;
  };
}
