import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type Clock, CLOCK } from '../../shared/ports.js';
import { credentialOf, roleOf, type TenantContext } from '../../shared/tenant-context.js';
import { TenantTransaction } from './tenant-transaction.js';

const REQUIRE = 'select require_credential($1, $2, $3, $4)';

/**
 * Checks the caller's key or session once more, inside the transaction of an act without a line in the audit log, or before an
 * answer without one; writing a line checks by itself. Ended counts, not expired: an act may last beyond its session's time.
 * @throws DomainError UNAUTHENTICATED when it ended since the call came in, FORBIDDEN when its person has another role since then;
 *   from the transaction that the manager is of
 */
export async function requireCredential(manager: EntityManager, { tenantId, principal }: Pick<TenantContext, 'tenantId' | 'principal'>, now: Date): Promise<void> {
  await manager.query(REQUIRE, [tenantId, credentialOf(principal), now, roleOf(principal)]);
}

/** For answers that take long: they end when the credential does. */
@Injectable()
export class StandingCredential {
  constructor(
    private readonly database: TenantTransaction,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * The parts, each after another look at the caller's key or session, and a last look at the end: a call whose credential ended
   * does not get an answer, not even an empty one.
   * @throws DomainError UNAUTHENTICATED once it has ended, FORBIDDEN once its person has another role
   */
  async *whileItStands<T>({ tenantId, principal }: TenantContext, parts: AsyncIterable<T>): AsyncGenerator<T> {
    const look = () => this.database.call(tenantId, REQUIRE, [credentialOf(principal), this.clock.now(), roleOf(principal)]);
    for await (const part of parts) {
      await look();
      yield part;
    }
    await look();
  }
}
