import { Injectable } from '@nestjs/common';
import { Prepared, TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import type { EventKind } from '../../../shared/event-catalogue.js';
import { credentialOf, type TenantContext } from '../../../shared/tenant-context.js';
import type { EventCard } from '../event-payload.js';
import type { EventPosition } from '../event-position.js';

/** Rows that one question looks at, so that a filter which fits little costs no more than none. */
const SCAN = 2_000;

export interface EventSelection {
  readonly type: EventKind | null;
  readonly documentId: string | null;
}

/** Where somebody waits for what happens; null: to any document. */
export interface WatchedPosition {
  readonly tenantId: string;
  readonly documentId: string | null;
  readonly at: EventPosition;
}

export interface EventsFound {
  /** Behind the last event that was looked at. */
  readonly at: EventPosition;
  readonly isMore: boolean;
  readonly events: readonly (EventCard & EventPosition)[];
  /** The caller's key or session still stands. */
  readonly isCredentialValid: boolean;
}

interface Row extends EventPosition {
  readonly credential_is_valid: boolean;
  readonly is_more: boolean;
  readonly events: (EventCard & Pick<EventPosition, 'xid' | 'position'>)[];
}

const AFTER = new Prepared('events-after', 'select a.*, current_lineage() as lineage from events_after($1, $2, $3, $4, $5, $6, $7, $8, $9) a');
const BEHIND = new Prepared('events-behind', 'select events_behind($1, $2, $3, $4) as found');

@Injectable()
export class EventsRepository {
  constructor(private readonly database: TenantTransaction) {}

  /** Events after a position, oldest first, in one round trip; null: none, and the present as the position to go on from. */
  async after(tenant: TenantContext, given: EventPosition | null, { type, documentId }: EventSelection, limit: number, now: Date): Promise<EventsFound> {
    const [row] = await this.database.call<Row>(tenant.tenantId, AFTER, [
      credentialOf(tenant.principal), now, given?.xid ?? null, given?.position ?? null, type, documentId, SCAN, limit,
    ]);
    if (row === undefined) throw new Error('events_after returned no row');
    const { xid, position, lineage } = row;
    return { at: { xid, position, lineage }, isMore: row.is_more, events: row.events.map((event) => ({ ...event, lineage })), isCredentialValid: row.credential_is_valid };
  }

  /** Whether there is an event of any type after each place: one short query about many places of many tenants. */
  async areBehind(watched: readonly WatchedPosition[]): Promise<readonly boolean[]> {
    const [row] = await this.database.withoutTenant<{ found: boolean[] }>(BEHIND, [
      watched.map(({ tenantId }) => tenantId), watched.map(({ at }) => at.xid), watched.map(({ at }) => at.position), watched.map(({ documentId }) => documentId),
    ]);
    return row?.found ?? [];
  }
}
