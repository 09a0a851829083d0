import { Inject, Injectable } from '@nestjs/common';
import { type Clock, CLOCK } from '../../shared/ports.js';
import { type CallOrigin, credentialOf, roleOf, type Principal, type TenantContext } from '../../shared/tenant-context.js';
import { TenantTransaction } from '../database/tenant-transaction.js';
import type { AuditAction, AuditActor, AuditTarget } from './audit-actions.js';

/** What was done, and to what. */
export interface AuditEntry {
  readonly action: AuditAction;
  readonly target?: { readonly kind: AuditTarget; readonly id: string };
  /** What a reader needs besides; never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Who did it and where the call came from. A tenant context is one. */
export interface Acting {
  readonly principal: Pick<Principal, 'kind' | 'id'> & { readonly role?: string };
  readonly origin?: CallOrigin | undefined;
}

/** A running transaction of the tenant. */
export interface RunningTransaction {
  query(sql: string, parameters: unknown[]): Promise<unknown>;
}

/** The line as the SQL function `record_audit(tenant, line)` takes it. */
export const auditLine = (acting: Acting, entry: AuditEntry, at: Date): string => JSON.stringify(lineOf(acting, entry, at));

/**
 * The line as the SQL function `record_act(tenant, line)` takes it, for acts that are SQL functions themselves: it refuses an act
 * whose key was revoked, whose session ended, or whose actor has another role, since the call came in.
 */
export const actLine = (tenant: TenantContext, entry: AuditEntry, at: Date): string =>
  JSON.stringify({ ...lineOf(tenant, entry, at), credential: credentialOf(tenant.principal), role: roleOf(tenant.principal) });

function lineOf({ principal, origin }: Acting, { action, target, detail }: AuditEntry, at: Date): object {
  return {
    at: at.toISOString(),
    actor_kind: actorKind(principal),
    actor_id: principal.id,
    action,
    target_kind: target?.kind ?? null,
    target_id: target?.id ?? null,
    detail: detail ?? {},
    request_id: origin?.requestId ?? null,
    address: origin?.address ?? null,
  };
}

const actorKind = ({ kind, role }: Acting['principal']): AuditActor => (kind === 'user' && role === 'platform_admin' ? 'platform_admin' : kind);

/**
 * The append-only log of what people and keys did in a tenant (decisions,
 * section 6). A line commits with the act that it records.
 */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly database: TenantTransaction,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Writes a line inside the transaction of the act, and looks at who acts once more.
   * @throws DomainError UNAUTHENTICATED, from the transaction, when the key was revoked, or the session ended, since the call came in
   */
  async record(transaction: RunningTransaction, tenant: TenantContext, entry: AuditEntry, at: Date): Promise<void> {
    await transaction.query('select record_act($1, $2)', [tenant.tenantId, actLine(tenant, entry, at)]);
  }

  /**
   * Writes a line by itself, for what changes no row: a refused attempt. At most one a minute for the same actor and action,
   * so that nobody floods the log with refusals.
   */
  async appendSparingly(tenantId: string, acting: Acting, entry: AuditEntry): Promise<void> {
    const now = this.clock.now();
    await this.database.run(tenantId, (manager) =>
      manager.query(
        `select record_audit($1, $2) where not exists (
           select from audit_log l where l.tenant_id = $1 and l.at > $3 and l.actor_id = $4 and l.action = $5)`,
        [tenantId, auditLine(acting, entry, now), new Date(now.getTime() - 60_000), acting.principal.id, entry.action],
      ),
    );
  }
}
