import type { EntityManager } from 'typeorm';
import { refuseHeld, waitShortly } from '../../../platform/database/held-lock.js';
import { sqlState } from '../../../platform/database/sql-error.js';
import { SQL_STATE } from '../../../platform/database/sql-state.js';
import { DomainError } from '../../../shared/domain-error.js';

const INACTIVE = ['deactivate'] as const;

/** What is removed: an issuer, one of its establishments, or one emission point of that. */
export interface Place {
  readonly issuerId: string;
  readonly establishmentId?: string;
  readonly emissionPointId?: string;
}

/** The emission points of a place; its parameters are those of `parametersOf`. */
const POINTS = `
  select p.id from emission_points p join establishments e on e.tenant_id = p.tenant_id and e.id = p.establishment_id
  where p.tenant_id = $1 and e.issuer_id = $2 and ($3::uuid is null or e.id = $3) and ($4::uuid is null or p.id = $4)`;

const parametersOf = (tenantId: string, { issuerId, establishmentId, emissionPointId }: Place): unknown[] => [tenantId, issuerId, establishmentId ?? null, emissionPointId ?? null];

const hasDocuments = (): DomainError => new DomainError('INVALID_STATE', { reason: 'has_documents', allowed_actions: INACTIVE });

/**
 * Runs a removal. A row that a document (or a draft) refers to is not removed but can be made inactive.
 * @throws DomainError INVALID_STATE where such a row is referred to, or another request keeps a lock for longer than a removal waits
 */
export async function refuseInUse<T>(remove: () => Promise<T>): Promise<T> {
  try {
    return await refuseHeld(remove);
  } catch (error) {
    if (sqlState(error) === SQL_STATE.foreignKeyViolation) throw hasDocuments();
    throw error;
  }
}

/**
 * The beginning of every removal, before its own row is locked. What is in use is refused without a lock, so that no document
 * that is being issued waits for it. Then counters are locked before their points, as issuing does. A document with an idempotency
 * key refers to its issuer before either, so the two may wait in a circle: then the removal gives way, and no document fails.
 * @throws DomainError INVALID_STATE when an emission point of the place holds documents, drafts or archived numbers
 */
export async function lockUnusedPoints(manager: EntityManager, tenantId: string, place: Place): Promise<void> {
  const parameters = parametersOf(tenantId, place);
  // The limit within has each point look into the index for itself; of one with millions of documents a single entry is read.
  const used = await manager.query<unknown[]>(
    `select from (${POINTS}) p cross join lateral (
       (select from documents d where d.tenant_id = $1 and d.emission_point_id = p.id limit 1)
       union all (select from archived_numbers a where a.tenant_id = $1 and a.emission_point_id = p.id limit 1)) used limit 1`,
    parameters,
  );
  if (used.length > 0) throw hasDocuments();
  await waitShortly(manager);
  await manager.query(`select from sequence_counters where tenant_id = $1 and emission_point_id in (${POINTS}) order by emission_point_id, document_type, environment for update`, parameters);
  await manager.query(`select from emission_points where tenant_id = $1 and id in (${POINTS}) order by id for update`, parameters);
}

/**
 * Removes the emission points of a place with all that counts their numbers.
 * @throws DomainError INVALID_STATE where numbers were left out, by a restore or by whoever raised the counter: the SRI may hold
 *   them, and a point that is founded again under the same code would give them out
 */
export async function removePoints(manager: EntityManager, tenantId: string, place: Place): Promise<void> {
  const parameters = parametersOf(tenantId, place);
  const leftOut = await manager.query<unknown[]>(`select from sequence_raises where tenant_id = $1 and emission_point_id in (${POINTS}) limit 1`, parameters);
  if (leftOut.length > 0) throw new DomainError('INVALID_STATE', { reason: 'numbers_left_out', allowed_actions: INACTIVE });
  await manager.query(`delete from sequence_counters where tenant_id = $1 and emission_point_id in (${POINTS})`, parameters);
  await manager.query(`delete from emission_points where tenant_id = $1 and id in (${POINTS})`, parameters);
}
