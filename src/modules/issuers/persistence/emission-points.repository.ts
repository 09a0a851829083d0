import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../../platform/audit/audit-trail.js';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { EmissionPointRecord } from '../issuers.responses.js';
import { refuseDuplicates } from '../../../platform/database/unique-violation.js';
import { lockUnusedPoints, refuseInUse, removePoints } from './removal.js';

const COLUMNS = 'p.id, p.tenant_id, p.establishment_id, p.code, p.initial_sequential, p.is_active, p.created_at, p.updated_at';

/** Where an emission point hangs: an establishment of an issuer. */
export interface EstablishmentPath {
  readonly issuerId: string;
  readonly establishmentId: string;
}

/** Establishment `$3` of issuer `$2` of tenant `$1`. */
const ESTABLISHMENT = 'e.tenant_id = $1 and e.issuer_id = $2 and e.id = $3';

@Injectable()
export class EmissionPointsRepository {
  constructor(
    private readonly database: TenantTransaction,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Null when the tenant has no such establishment, also when it is being deleted: a deletion under way is waited for.
   * @throws DomainError ALREADY_EXISTS when the establishment has a point of this code
   */
  async insert(
    tenant: TenantContext,
    path: EstablishmentPath,
    point: { readonly id: string; readonly code: string; readonly initialSequential: number },
    now: Date,
  ): Promise<EmissionPointRecord | null> {
    const { tenantId } = tenant;
    return refuseDuplicates('code', () =>
      this.database.run(tenantId, async (manager) => {
        const [row] = await manager.query<EmissionPointRecord[]>(
          `insert into emission_points as p (tenant_id, id, establishment_id, code, initial_sequential, created_at, updated_at)
           select e.tenant_id, $4, e.id, $5, $6, $7, $7 from establishments e where ${ESTABLISHMENT} for key share
           returning ${COLUMNS}`,
          [tenantId, path.issuerId, path.establishmentId, point.id, point.code, point.initialSequential, now],
        );
        if (row === undefined) return null;
        const detail = { issuer_id: path.issuerId, establishment_id: path.establishmentId, code: point.code };
        await this.audit.record(manager, tenant, { action: 'emission_point.created', target: { kind: 'emission_point', id: point.id }, detail }, now);
        return row;
      }),
    );
  }

  /** Opens or closes a point; null when the establishment has no such point. */
  async update(tenant: TenantContext, path: EstablishmentPath, id: string, isActive: boolean | undefined, now: Date): Promise<EmissionPointRecord | null> {
    const { tenantId } = tenant;
    if (isActive === undefined) return this.find(tenantId, path, id);
    return this.database.run(tenantId, async (manager) => {
      const [rows] = await manager.query<[EmissionPointRecord[], number]>(
        `update emission_points p set is_active = $5, updated_at = $6 from establishments e
         where ${ESTABLISHMENT} and p.tenant_id = e.tenant_id and p.establishment_id = e.id and p.id = $4 returning ${COLUMNS}`,
        [tenantId, path.issuerId, path.establishmentId, id, isActive, now],
      );
      const [row] = rows;
      if (row === undefined) return null;
      const detail = { issuer_id: path.issuerId, establishment_id: path.establishmentId, fields: ['is_active'] };
      await this.audit.record(manager, tenant, { action: 'emission_point.changed', target: { kind: 'emission_point', id }, detail }, now);
      return row;
    });
  }

  /**
   * Removes a point with its counters; false when the establishment has no such point.
   * @throws DomainError INVALID_STATE when it holds documents, or another request is using it
   */
  async remove(tenant: TenantContext, path: EstablishmentPath, id: string, now: Date): Promise<boolean> {
    const { tenantId } = tenant;
    const place = { ...path, emissionPointId: id };
    return refuseInUse(() =>
      this.database.run(tenantId, async (manager) => {
        await lockUnusedPoints(manager, tenantId, place);
        const [known] = await manager.query<{ code: string }[]>(
          `select p.code from emission_points p join establishments e on e.tenant_id = p.tenant_id and e.id = p.establishment_id
           where ${ESTABLISHMENT} and p.id = $4 for update of p`,
          [tenantId, path.issuerId, path.establishmentId, id],
        );
        if (known === undefined) return false;
        await removePoints(manager, tenantId, place);
        const detail = { issuer_id: path.issuerId, establishment_id: path.establishmentId, code: known.code };
        await this.audit.record(manager, tenant, { action: 'emission_point.deleted', target: { kind: 'emission_point', id }, detail }, now);
        return true;
      }),
    );
  }

  async find(tenantId: string, path: EstablishmentPath, id: string): Promise<EmissionPointRecord | null> {
    return this.database.run(tenantId, async (manager) => {
      const [row] = await manager.query<EmissionPointRecord[]>(
        `select ${COLUMNS} from emission_points p
         join establishments e on e.tenant_id = p.tenant_id and e.id = p.establishment_id
         where ${ESTABLISHMENT} and p.id = $4`,
        [tenantId, path.issuerId, path.establishmentId, id],
      );
      return row ?? null;
    });
  }

  /** A page, newest first; null when the tenant has no such establishment. */
  async list(
    tenantId: string,
    path: EstablishmentPath,
    isActive: boolean | null,
    limit: number,
    offset: number,
  ): Promise<{ rows: EmissionPointRecord[]; total: number } | null> {
    return this.database.run(tenantId, async (manager) => {
      const filter = 'p.tenant_id = e.tenant_id and p.establishment_id = e.id and ($4::boolean is null or p.is_active = $4)';
      const parameters = [tenantId, path.issuerId, path.establishmentId, isActive];
      const [counted] = await manager.query<{ total: number }[]>(
        `select (select count(*)::int from emission_points p where ${filter}) as total from establishments e where ${ESTABLISHMENT}`,
        parameters,
      );
      if (counted === undefined) return null;
      const rows = await manager.query<EmissionPointRecord[]>(
        `select ${COLUMNS} from establishments e join emission_points p on ${filter}
         where ${ESTABLISHMENT} order by p.created_at desc, p.id desc limit $5 offset $6`,
        [...parameters, limit, offset],
      );
      return { rows, total: counted.total };
    });
  }
}
