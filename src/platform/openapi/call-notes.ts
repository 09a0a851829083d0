import { bucketOf, type RateBucket, windowOf } from '../http/rate-limits.js';
import { isOfTenant } from '../security/permissions.js';
import { type Answer, type Components, type Header, isReference, type Method, type Operation, type Parameter } from './description.js';

/** What the description says of every call besides its own shapes: who may, how often, which headers travel. */

/** Calls in the window of a bucket. */
export type RateNumbers = Readonly<Record<RateBucket, number>>;

/** By whom the calls of a bucket are counted, where they need a credential; those of `auth` need none. */
const COUNTED: Readonly<Record<RateBucket, string>> = {
  issue: 'per API key or person',
  read: 'per API key or person',
  rename: 'per person',
  other: 'per API key or person, over all calls without a limit of their own',
  auth: 'per address; five times as many per account that is signed in to or up',
};

/** Who calls without a credential is known by nothing else. */
const COUNTED_UNKNOWN = 'per address, over all calls without a limit of their own';

const HEADERS: Readonly<Record<string, Header>> = {
  RequestId: { description: 'Identifier of the call, to be quoted to support. A valid one of the request is kept.', schema: { type: 'string' } },
  RateLimitLimit: { description: 'Calls that the window allows', schema: { type: 'integer' } },
  RateLimitRemaining: { description: 'Calls left in the window', schema: { type: 'integer' } },
  RateLimit: { description: 'The same as a structured field: bucket, calls left, seconds until the window starts anew', schema: { type: 'string', examples: ['"issue";r=59;t=60'] } },
  RateLimitPolicy: { description: 'Bucket, its calls and its window in seconds', schema: { type: 'string', examples: ['"issue";q=60;w=60'] } },
  RetryAfter: { description: 'Seconds until a retry is allowed', schema: { type: 'integer', minimum: 1 } },
  IdempotentReplayed: { description: '`true`: the first answer under the idempotency key, given again', schema: { type: 'string', enum: ['true'] } },
  PreferenceApplied: { description: 'The wait that was applied', schema: { type: 'string', examples: ['wait=10'] } },
};

const RATE_HEADERS = { 'X-RateLimit-Limit': 'RateLimitLimit', 'X-RateLimit-Remaining': 'RateLimitRemaining', RateLimit: 'RateLimit', 'RateLimit-Policy': 'RateLimitPolicy' } as const;

const PARAMETERS: Readonly<Record<string, Parameter>> = {
  TenantId: {
    name: 'X-Tenant-Id', in: 'header', required: false, schema: { type: 'string', format: 'uuid' },
    description:
      'Chooses among the memberships of a person; of an API key it must name its own tenant. 403 with the `reason` in the detail: `tenant_required` (one of several must be named), `tenant_mismatch` ' +
      '(none of the caller\'s), `no_active_membership` (the person is suspended in that tenant, or it is closed; unnamed: the person is an active member of none)',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key', in: 'header', required: false, schema: { type: 'string', minLength: 1, maxLength: 255 },
    description: 'The same as the body field `idempotency_key`: under one key of an issuer one document is made, ever. The same content again gets the first answer with `Idempotent-Replayed: true`, other content 409',
  },
  Prefer: {
    name: 'Prefer', in: 'header', required: false, schema: { type: 'string' }, example: 'wait=10',
    description: '`wait=N`: wait up to N seconds (1 to 30) until the document is decided, or waits for a person (under a pause or for a certificate too); the answer is then a DocumentSyncSubmitResponse with `Preference-Applied`',
  },
};

export function addCallComponents(components: Components): void {
  Object.assign(components.headers, HEADERS);
  Object.assign(components.parameters, PARAMETERS);
  for (const [status, answer] of Object.entries(components.responses)) answer.headers = headersOf(answer, !status.endsWith('401'));
}

/**
 * Notes who may make the call and how often, and the headers of its answers.
 * @returns false for the routes of the service itself, such as health checks: nothing of this holds for them
 */
export function noteCall(operation: Operation, method: Method, path: string, limits: RateNumbers): boolean {
  const demand = demandOf(operation, path);
  for (const [status, answer] of Object.entries(operation.responses)) {
    if (!isReference(answer)) answer.headers = headersOf(answer, demand !== null && status !== '401', operation);
  }
  shareParameters(operation);
  if (demand === null) {
    operation.security ??= [];
    return false;
  }
  // Open to all, and said so: not merely silent about it.
  operation.security ??= [];
  if (isOfTenant(operation['x-permission'])) operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/TenantId' }];
  const bucket = bucketOf(method, path, operation['x-rate-limit'] as RateBucket | undefined);
  operation['x-rate-limit'] = { bucket, limit: limits[bucket], window_seconds: windowOf(bucket) };
  const counted = bucket === 'other' && operation.security.length === 0 ? COUNTED_UNKNOWN : COUNTED[bucket];
  const notes = [demand, `Rate limit: ${limits[bucket]} calls ${windowOf(bucket) === 60 ? 'a minute' : 'an hour'} ${counted} (bucket \`${bucket}\`).`].join('\n');
  operation.description = operation.description ? `${operation.description}\n\n${notes}` : notes;
  return true;
}

/** What the caller must be, or null on routes of the service itself. */
function demandOf(operation: Operation, path: string): string | null {
  const permission = operation['x-permission'];
  if (typeof permission === 'string') return `Permission: \`${permission}\`.`;
  if (operation['x-signed-in'] === true) return 'For signed-in people, in whatever role.';
  return path.startsWith('/auth/') ? 'No credential needed.' : null;
}

function headersOf(answer: Answer, counted: boolean, operation?: Operation): NonNullable<Answer['headers']> {
  const reference = (name: string) => ({ $ref: `#/components/headers/${name}` });
  const takes = (header: string): boolean => operation?.parameters?.some((one) => !isReference(one) && one.name === header) === true && answer.content !== undefined;
  return {
    ...answer.headers,
    'X-Request-Id': reference('RequestId'),
    ...(counted ? Object.fromEntries(Object.entries(RATE_HEADERS).map(([header, name]) => [header, reference(name)])) : {}),
    ...(takes('Idempotency-Key') ? { 'Idempotent-Replayed': reference('IdempotentReplayed') } : {}),
    ...(takes('Prefer') ? { 'Preference-Applied': reference('PreferenceApplied') } : {}),
  };
}

/** Headers that several calls take are described once. */
function shareParameters(operation: Operation): void {
  operation.parameters = operation.parameters?.map((parameter) => {
    if (isReference(parameter)) return parameter;
    const shared = Object.entries(PARAMETERS).find(([, one]) => one.in === parameter.in && one.name === parameter.name);
    return shared === undefined ? parameter : { $ref: `#/components/parameters/${shared[0]}` };
  });
}
