import type { EntityManager } from 'typeorm';

/**
 * Where lists and exports are read: a replica where there is one, else the primary. These reads may be some seconds old, so
 * nothing is decided by them.
 */
export abstract class ListReads {
  /** Runs `work`, which only reads, in one transaction of the tenant and of one moment. It may run twice. */
  abstract readOneMoment<T>(tenantId: string, work: (manager: EntityManager) => Promise<T>): Promise<T>;
}
