import type { EntityManager } from 'typeorm';
import { sqlState } from '../../../platform/database/sql-error.js';
import { SQL_STATE } from '../../../platform/database/sql-state.js';
import { DomainError } from '../../../shared/domain-error.js';

const INACTIVE = ['deactivate'] as const;

/** Runs a removal. A row that a document (or a draft) refers to is not removed but can be made inactive. */
export async function refuseInUse<T>(remove: () => Promise<T>): Promise<T> {
  try {
    return await remove();
  } catch (error) {
    if (sqlState(error) === SQL_STATE.foreignKeyViolation) throw new DomainError('INVALID_STATE', { reason: 'has_documents', allowed_actions: INACTIVE });
    throw error;
  }
}

/**
 * Removes emission points with all that counts their numbers. `condition` is about emission points, its value `$2`.
 * @throws DomainError INVALID_STATE where numbers were left out, by a restore or by whoever raised the counter: the SRI may hold
 *   them, and a point that is founded again under the same code would give them out
 */
export async function removePoints(manager: EntityManager, tenantId: string, condition: string, value: string): Promise<void> {
  const those = `(select id from emission_points where tenant_id = $1 and ${condition})`;
  const leftOut = await manager.query<unknown[]>(`select from sequence_raises where tenant_id = $1 and emission_point_id in ${those} limit 1`, [tenantId, value]);
  if (leftOut.length > 0) throw new DomainError('INVALID_STATE', { reason: 'numbers_left_out', allowed_actions: INACTIVE });
  await manager.query(`delete from sequence_counters where tenant_id = $1 and emission_point_id in ${those}`, [tenantId, value]);
  await manager.query(`delete from emission_points where tenant_id = $1 and ${condition}`, [tenantId, value]);
}
