import type { EntityManager } from 'typeorm';
import { DomainError } from '../../shared/domain-error.js';
import { sqlState } from './sql-error.js';
import { SQL_STATE } from './sql-state.js';

/** Whoever gives way waits so long for each lock, in milliseconds: well below the second after which PostgreSQL looks who waits in a circle. */
const SHORT_WAIT_MS = 250;

/** Lets the transaction wait for each lock from here on only as long as somebody does who gives way. */
export async function waitShortly(manager: EntityManager): Promise<void> {
  await manager.query(`set local lock_timeout = '${SHORT_WAIT_MS}ms'`);
}

/** @throws DomainError INVALID_STATE when another request keeps a lock for longer than the work waits */
export async function refuseHeld<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (sqlState(error) === SQL_STATE.lockNotAvailable) throw new DomainError('INVALID_STATE', { reason: 'BEING_CHANGED', allowed_actions: ['repeat'] });
    throw error;
  }
}
