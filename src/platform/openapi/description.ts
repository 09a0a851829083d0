/** What the description of the API is made of, as far as it is read and written here: OpenAPI 3.1, JSON Schema 2020-12. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  contentMediaType?: string;
  contentEncoding?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number | boolean;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  writeOnly?: boolean;
  'x-may-be-absent'?: boolean;
}

export interface Example {
  summary?: string;
  value: unknown;
}

export interface MediaType {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, Example>;
}

export interface Reference {
  $ref: string;
}

export interface Header {
  description: string;
  schema: Schema;
}

export interface Answer {
  description: string;
  headers?: Record<string, Header | Reference>;
  content?: Record<string, MediaType>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, Example>;
}

export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: (Parameter | Reference)[];
  requestBody?: { required?: boolean; content: Record<string, MediaType> };
  responses: Record<string, Answer | Reference>;
  [extension: `x-${string}`]: unknown;
}

export const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type Method = (typeof METHODS)[number];

export type PathItem = Partial<Record<Method, Operation>>;

export interface Components {
  schemas: Record<string, Schema>;
  responses: Record<string, Answer>;
  headers: Record<string, Header>;
  parameters: Record<string, Parameter>;
  securitySchemes: Record<string, unknown>;
}

export interface Description {
  openapi: string;
  info: Record<string, unknown>;
  jsonSchemaDialect?: string;
  servers?: { url: string; description?: string }[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, PathItem>;
  webhooks?: Record<string, PathItem>;
  components: Components;
}

/** Every call that the description names. */
export function operationsOf(items: Readonly<Record<string, PathItem>>): readonly { path: string; method: Method; operation: Operation }[] {
  return Object.entries(items).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ path, method, operation }];
    }),
  );
}

export const isReference = (value: object): value is Reference => '$ref' in value;

export const schemaReference = (name: string): Reference => ({ $ref: `#/components/schemas/${name}` });

/** The name of the component that a reference names. */
export const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** `document_id` as `DocumentId`. */
export const pascal = (name: string): string => name.replace(/(?:^|[^A-Za-z0-9])([A-Za-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
