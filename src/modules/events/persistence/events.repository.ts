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
  /** Events behind the given position were removed since it was given. */
  readonly isExpired: boolean;
  readonly events: readonly (EventCard & EventPosition)[];
  /** The caller's key or session still stands. */
  readonly isCredentialValid: boolean;
}

interface Row extends EventPosition {
  readonly credential_is_valid: boolean;
  readonly is_more: boolean;
  readonly is_expired: boolean;
  readonly events: (EventCard & Pick<EventPosition, 'xid' | 'position'>)[];
}

const UNREAD = new Prepared('unread-events', 'select u.*, current_lineage() as lineage from unread_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) u');
const BEHIND = new Prepared('events-behind', 'select events_behind($1, $2, $3, $4) as found');

@Injectable()
export class EventsRepository {
  constructor(private readonly database: TenantTransaction) {}

  /** Events after a position, oldest first, in one round trip; null: none, and the present as the position to go on from. */
  async after(tenant: TenantContext, given: EventPosition | null, { type, documentId }: EventSelection, limit: number, now: Date): Promise<EventsFound> {
    const [row] = await this.database.call<Row>(tenant.tenantId, UNREAD, [
      credentialOf(tenant.principal), now, given?.xid ?? null, given?.position ?? null, given?.removals ?? null, type, documentId, SCAN, limit,
    ]);
    if (row === undefined) throw new Error('unread_events returned no row');
    const { xid, position, lineage, removals } = row;
    return {
      at: { xid, position, lineage, removals }, isMore: row.is_more, isExpired: row.is_expired,
      events: row.events.map((event) => ({ ...event, lineage, removals })), isCredentialValid: row.credential_is_valid,
    };
  }

  /** Whether there is an event of any type after each place: one short query about many places of many tenants. */
  async areBehind(watched: readonly WatchedPosition[]): Promise<readonly boolean[]> {
    const [row] = await this.database.withoutTenant<{ found: boolean[] }>(BEHIND, [
      watched.map(({ tenantId }) => tenantId), watched.map(({ at }) => at.xid), watched.map(({ at }) => at.position), watched.map(({ documentId }) => documentId),
    ]);
    return row?.found ?? [];
  }
}
