import { randomUUID } from 'node:crypto';
import type { MemberRole } from '../../src/shared/tenant-context.js';
import { type Answer, call } from './http.js';
import { askKeeper } from './keeper.js';
import type { RunningStack } from './stack.js';

/** A person with an account and an open session. */
export class Somebody {
  constructor(
    private readonly stack: RunningStack,
    readonly userId: string,
    readonly email: string,
    readonly token: string,
  ) {}

  /** @param tenantId named in X-Tenant-Id; null: none is named */
  call<Body = Record<string, unknown>>(method: string, path: string, body?: unknown, tenantId: string | null = null, apiUrl = this.stack.apiUrl): Promise<Answer<Body>> {
    const headers = { authorization: `Bearer ${this.token}`, ...(tenantId === null ? {} : { 'x-tenant-id': tenantId }) };
    return call<Body>(apiUrl, method, path, { body, headers });
  }
}

let people = 0;

/** People by rows, with tokens as the service issues them: for tests that are about what people may do, not about how they sign in. */
export async function signedIn(stack: RunningStack, options: { readonly platformAdmin?: boolean; readonly name?: string } = {}): Promise<Somebody> {
  const [userId, sessionId] = [randomUUID(), randomUUID()];
  people += 1;
  const email = `person-${people}-${userId.slice(0, 8)}@example.com`;
  await stack.database.query(
    'insert into users (id, email, name, email_verified_at, is_platform_admin, created_at, updated_at) values ($1, $2, $3, now(), $4, now(), now())',
    [userId, email, options.name ?? `Person ${people}`, options.platformAdmin ?? false],
  );
  await stack.database.query(`insert into sessions (id, user_id, created_at, expires_at) values ($1, $2, now(), now() + interval '1 day')`, [sessionId, userId]);
  return new Somebody(stack, userId, email, await askKeeper<string>('/token', { sub: userId, sid: sessionId, tv: 1 }));
}

/** Makes a person a member by a row; answers the member's id. */
export async function join(stack: RunningStack, person: Somebody, tenantId: string, role: MemberRole, status: 'active' | 'suspended' = 'active'): Promise<string> {
  const memberId = randomUUID();
  await stack.database.query(
    `insert into members (tenant_id, id, user_id, email, role, status, invited_at, joined_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, now(), now(), now(), now())`,
    [tenantId, memberId, person.userId, person.email, role, status],
  );
  return memberId;
}

/** A new person who is a member. */
export async function member(stack: RunningStack, tenantId: string, role: MemberRole): Promise<Somebody & { readonly memberId: string }> {
  const person = await signedIn(stack);
  return Object.assign(person, { memberId: await join(stack, person, tenantId, role) });
}
