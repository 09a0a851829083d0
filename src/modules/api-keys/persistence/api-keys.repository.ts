import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../../platform/audit/audit-trail.js';
import { lockTenant } from '../../../platform/database/lock-tenant.js';
import { requireCredential } from '../../../platform/database/standing-credential.js';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { isAllowed } from '../../../platform/security/permissions.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { MemberRole, TenantContext } from '../../../shared/tenant-context.js';
import type { ApiKeyCreated } from '../api-keys.responses.js';

export type ApiKeyRow = Omit<ApiKeyCreated, 'key'>;

export interface NewApiKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly hash: Buffer;
}

const COLUMNS = 'id, tenant_id, name, prefix, environment, created_at, created_by, created_by_name, last_used_at, revoked_at';

/** Standing keys of a tenant: each is limited by itself. */
export const MOST_KEYS = 100;

@Injectable()
export class ApiKeysRepository {
  constructor(
    private readonly database: TenantTransaction,
    private readonly audit: AuditTrail,
  ) {}

  /** Adds a key; null when the tenant has as many standing ones as it may have. */
  async insert(tenant: TenantContext, key: NewApiKey, now: Date): Promise<ApiKeyRow | null> {
    return this.database.run(tenant.tenantId, async (manager) => {
      await lockTenant(manager, tenant.tenantId);
      await requireStanding(manager, tenant);
      await requireCredential(manager, tenant, now);
      const maker = await makerOf(manager, tenant);
      const [row] = await manager.query<ApiKeyRow[]>(
        `insert into api_keys (tenant_id, id, name, prefix, key_hash, environment, created_at, created_by, created_by_name)
         select $1, $2, $3, $4, $5, $6, $7, $9, $10 where (select count(*) from api_keys k where k.tenant_id = $1 and k.revoked_at is null) < $8 returning ${COLUMNS}`,
        [tenant.tenantId, key.id, key.name, key.prefix, key.hash, tenant.environment, now, MOST_KEYS, maker?.id ?? null, maker?.name ?? null],
      );
      if (row === undefined) return null;
      const { name, prefix } = key;
      await this.audit.record(manager, tenant, { action: 'api_key.created', target: { kind: 'api_key', id: key.id }, detail: { name, prefix } }, now);
      return row;
    });
  }

  /** Revokes a key for ever; false when the tenant has no such key. Again is the same and is not recorded again. */
  async revoke(tenant: TenantContext, id: string, now: Date): Promise<boolean> {
    return this.database.run(tenant.tenantId, async (manager) => {
      const [key] = await manager.query<{ name: string; prefix: string; revoked: boolean }[]>(
        'select name, prefix, revoked_at is not null as revoked from api_keys where tenant_id = $1 and id = $2 for no key update',
        [tenant.tenantId, id],
      );
      if (key === undefined || key.revoked) return key !== undefined;
      const { name, prefix } = key;
      // The line first: a key that revokes itself acts no longer afterwards.
      await this.audit.record(manager, tenant, { action: 'api_key.revoked', target: { kind: 'api_key', id }, detail: { name, prefix } }, now);
      await manager.query('update api_keys set revoked_at = $3 where tenant_id = $1 and id = $2', [tenant.tenantId, id, now]);
      return true;
    });
  }

  /** A page, newest first. */
  async list(tenantId: string, limit: number, offset: number): Promise<{ rows: ApiKeyRow[]; total: number }> {
    return this.database.run(tenantId, async (manager) => {
      const rows = await manager.query<ApiKeyRow[]>(
        `select ${COLUMNS} from api_keys where tenant_id = $1 order by created_at desc, id desc limit $2 offset $3`,
        [tenantId, limit, offset],
      );
      const [counted] = await manager.query<{ total: number }[]>('select count(*)::int as total from api_keys where tenant_id = $1', [tenantId]);
      return { rows, total: counted?.total ?? 0 };
    });
  }
}

/** The person who makes a key, or who made the key that makes it. */
async function makerOf(manager: EntityManager, { tenantId, principal }: TenantContext): Promise<{ id: string | null; name: string | null } | undefined> {
  const [sql, parameters] =
    principal.kind === 'user'
      ? ['select $1::uuid as id, name from describe_person($1) limit 1', [principal.id]]
      : ['select created_by as id, created_by_name as name from api_keys where tenant_id = $1 and id = $2', [tenantId, principal.id]];
  const [maker] = await manager.query<{ id: string | null; name: string | null }[]>(sql, parameters);
  return maker;
}

/**
 * The caller's right as the database knows it now, held until the key is there: whoever loses theirs meanwhile leaves no key.
 * @throws DomainError UNAUTHENTICATED or FORBIDDEN
 */
async function requireStanding(manager: EntityManager, { tenantId, principal }: TenantContext): Promise<void> {
  if (principal.kind === 'api_key') {
    const [key] = await manager.query<unknown[]>('select 1 from api_keys where tenant_id = $1 and id = $2 and revoked_at is null for share', [tenantId, principal.id]);
    if (key === undefined) throw new DomainError('UNAUTHENTICATED');
  } else if (principal.memberId !== null) {
    const [member] = await manager.query<{ role: MemberRole }[]>(
      `select role from members where tenant_id = $1 and id = $2 and status = 'active' for share`, [tenantId, principal.memberId],
    );
    if (member === undefined || !isAllowed(member.role, 'api_keys:write')) throw new DomainError('FORBIDDEN', { permission: 'api_keys:write' });
  }
}
