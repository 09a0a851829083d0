import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { ERROR_CATALOGUE } from '../../shared/error-catalogue.js';
import { API_KEY_SCHEME, BEARER_SCHEME, COOKIE_SCHEME, SESSION_COOKIE } from '../security/access.js';

/** Version of the interface description (specification, section 9). */
const INTERFACE_VERSION = '0.1.0';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const READ_ERRORS = [401, 403, 404, 422, 429, 500, 503];
const WRITE_ERRORS = [400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503];

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** The OpenAPI document of the application: routes and DTOs, permissions, and errors out of the catalogue. */
export function buildOpenApi(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Sello')
    .setDescription('Issues the electronic tax documents of Ecuador.')
    .setVersion(INTERFACE_VERSION)
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'svc_test_… in sandbox and local, svc_live_… in production' }, API_KEY_SCHEME)
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Access token of `POST /auth/login` or `GET /auth/google/callback`; `X-Tenant-Id` chooses among several memberships' }, BEARER_SCHEME)
    .addCookieAuth(SESSION_COOKIE, { type: 'apiKey', in: 'cookie', description: 'The same token, for browsers; unsafe methods need an `Origin` of ours and a JSON body' }, COOKIE_SCHEME)
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    operationIdFactory: (_controller, method) => method,
  });
  addErrorSchemas(document);
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation !== undefined) describeOperation(operation, path, method === 'get' ? READ_ERRORS : WRITE_ERRORS);
    }
  }
  return document;
}

function describeOperation(operation: Operation, path: string, statuses: readonly number[]): void {
  const demand = demandOf(operation, path);
  if (demand === null) return;
  // Open to all, and said so: not merely silent about it.
  operation.security ??= [];
  operation.description = operation.description ? `${operation.description}\n\n${demand}` : demand;
  for (const status of statuses) {
    operation.responses[String(status)] ??= errorResponse(status);
  }
}

/** What the caller must be, or null on routes of the service itself such as health checks. */
function demandOf(operation: Operation, path: string): string | null {
  const permission: unknown = Reflect.get(operation, 'x-permission');
  if (typeof permission === 'string') return `Permission: \`${permission}\`.`;
  if (Reflect.get(operation, 'x-signed-in') === true) return 'For signed-in people, in whatever role.';
  return path.startsWith('/auth/') ? 'No credential needed.' : null;
}

function errorResponse(status: number): Operation['responses'][string] {
  const codes = Object.entries(ERROR_CATALOGUE)
    .filter(([, entry]) => entry.status === status)
    .map(([code, entry]) => `- \`${code}\`: ${entry.en}. ${entry.actionEn}.`);
  const schema = status === 422 || status === 400 ? 'ValidationErrorResponse' : 'ErrorResponse';
  const headers = status === 429 || status === 503 ? { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds until a retry is allowed' } } : {};
  return {
    description: codes.join('\n'),
    headers: headers as Record<string, never>,
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
  };
}

function addErrorSchemas(document: OpenAPIObject): void {
  const codes = Object.entries(ERROR_CATALOGUE).filter(([, entry]) => entry.status >= 400);
  const envelope = {
    type: 'object',
    required: ['code', 'message', 'detail', 'request_id'],
    properties: {
      code: { type: 'string', enum: codes.map(([code]) => code), description: 'Stable across versions' },
      message: { type: 'string', description: 'Spanish, or English by Accept-Language' },
      detail: { description: 'Extra information', nullable: true },
      request_id: { type: 'string', description: 'To be quoted to support' },
    },
  };
  const finding = {
    type: 'object',
    required: ['loc', 'msg', 'type', 'input', 'ctx'],
    properties: {
      loc: { type: 'array', items: { type: 'string' }, example: ['body', 'lines', '0', 'quantity'] },
      msg: { type: 'string' },
      type: { type: 'string', description: 'Stable, e.g. missing, extra_forbidden, string_too_long' },
      input: { description: 'What was sent, cut at 64 characters; null for secrets', nullable: true },
      ctx: { type: 'object', additionalProperties: true },
    },
  };
  document.components = {
    ...document.components,
    schemas: {
      ...document.components?.schemas,
      Error: envelope as Record<string, unknown>,
      FieldFinding: finding as Record<string, unknown>,
      ErrorResponse: { type: 'object', required: ['error'], properties: { error: { $ref: '#/components/schemas/Error' } } },
      ValidationErrorResponse: {
        type: 'object',
        required: ['error'],
        properties: {
          error: { $ref: '#/components/schemas/Error' },
          detail: { type: 'array', items: { $ref: '#/components/schemas/FieldFinding' }, description: 'Only when fields failed' },
        },
      },
    },
  };
}
