import { Injectable } from '@nestjs/common';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import type { PauseRecord } from '../documents.actions.responses.js';
import type { Place } from '../domain/issuance.js';

const COLUMNS = 'id, tenant_id, scope, issuer_id, establishment_id, emission_point_id, document_type, code as sri_code, document_id, created_at, resumed_at';

/** Scopes whose submissions wait because the SRI blocked them. */
@Injectable()
export class PausesRepository {
  constructor(private readonly transaction: TenantTransaction) {}

  /** A page of the pauses of an issuer, newest first, resumed ones too; null when the tenant has no such issuer. */
  async list(tenantId: string, issuerId: string, limit: number, offset: number): Promise<{ rows: PauseRecord[]; total: number } | null> {
    return this.transaction.run(tenantId, async (manager) => {
      const issuers = await manager.query<unknown[]>('select 1 from issuers where tenant_id = $1 and id = $2', [tenantId, issuerId]);
      if (issuers.length === 0) return null;
      const rows = await manager.query<PauseRecord[]>(
        `select ${COLUMNS} from issuing_pauses where tenant_id = $1 and issuer_id = $2 order by created_at desc, id desc limit $3 offset $4`,
        [tenantId, issuerId, limit, offset],
      );
      const [counted] = await manager.query<{ total: number }[]>('select count(*)::int as total from issuing_pauses where tenant_id = $1 and issuer_id = $2', [tenantId, issuerId]);
      return { rows, total: counted?.total ?? 0 };
    });
  }

  /** The open pauses that hold up documents of a type at a place: each has to be resumed. */
  async findOpen(tenantId: string, { issuerId, establishmentId, emissionPointId }: Place, documentType: string): Promise<PauseRecord[]> {
    return this.transaction.run(tenantId, (manager) =>
      manager.query<PauseRecord[]>(
        `select ${COLUMNS} from issuing_pauses where tenant_id = $1 and id in (select open_pauses($1, $2, $3, $4, $5)) order by created_at, id`,
        [tenantId, issuerId, establishmentId, emissionPointId, documentType],
      ),
    );
  }

  /**
   * Ends a pause, by PostgreSQL's clock; one that has ended already stays as it is. Its documents still sleep: see `wake`.
   * @param act line of the audit log that commits with it
   * @returns null when the issuer has no such pause
   */
  async end(tenantId: string, issuerId: string, pauseId: string, act: string): Promise<PauseRecord | null> {
    const [pause] = await this.transaction.call<PauseRecord>(
      tenantId,
      `select ${COLUMNS} from (select p.*, record_act($1, $4) from end_pause($1, $2, $3, now()) p) resumed`,
      [issuerId, pauseId, act],
    );
    return pause ?? null;
  }

  /** Makes up to `limit` documents of an ended pause due. @returns how many they were; 0: none is left */
  async wake(tenantId: string, pauseId: string, limit: number): Promise<number> {
    const [row] = await this.transaction.call<{ woken: number }>(tenantId, 'select wake_resumed($1, $2, now(), $3) as woken', [pauseId, limit]);
    return row?.woken ?? 0;
  }
}
