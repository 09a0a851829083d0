import { Injectable } from '@nestjs/common';
import { Prepared, TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import type { EventKind } from '../../../shared/event-catalogue.js';
import { credentialOf, type TenantContext } from '../../../shared/tenant-context.js';
import type { EventCard } from '../event-payload.js';
import type { EventPlace } from '../event-place.js';

/** Rows that one question looks at, so that a filter which fits little costs no more than none. */
const SCAN = 2_000;

export interface EventSelection {
  readonly type: EventKind | null;
  readonly documentId: string | null;
}

/** Where somebody waits for what happens; null: to any document. */
export interface WatchedPlace {
  readonly tenantId: string;
  readonly documentId: string | null;
  readonly place: EventPlace;
}

export interface EventsFound {
  /** Behind the last event that was looked at. */
  readonly place: EventPlace;
  readonly isMore: boolean;
  readonly events: readonly (EventCard & EventPlace)[];
  /** The caller's key or session still stands. */
  readonly isCredentialValid: boolean;
}

interface Row extends EventPlace {
  readonly credential_is_valid: boolean;
  readonly is_more: boolean;
  readonly events: (EventCard & Pick<EventPlace, 'xid' | 'position'>)[];
}

const AFTER = new Prepared('events-after', 'select a.*, current_lineage() as lineage from events_after($1, $2, $3, $4, $5, $6, $7, $8, $9) a');
const BEHIND = new Prepared('events-behind', 'select events_behind($1, $2, $3, $4) as found');

@Injectable()
export class EventsRepository {
  constructor(private readonly database: TenantTransaction) {}

  /** Events behind a place, oldest first, in one round trip; null: none, and the present as the place to go on from. */
  async after(tenant: TenantContext, place: EventPlace | null, { type, documentId }: EventSelection, limit: number, now: Date): Promise<EventsFound> {
    const [row] = await this.database.call<Row>(tenant.tenantId, AFTER, [
      credentialOf(tenant.principal), now, place?.xid ?? null, place?.position ?? null, type, documentId, SCAN, limit,
    ]);
    if (row === undefined) throw new Error('events_after returned no row');
    const { xid, position, lineage } = row;
    return { place: { xid, position, lineage }, isMore: row.is_more, events: row.events.map((event) => ({ ...event, lineage })), isCredentialValid: row.credential_is_valid };
  }

  /** Of each place whether there is an event behind it, of any type: one short question about many places of many tenants. */
  async areBehind(places: readonly WatchedPlace[]): Promise<readonly boolean[]> {
    const [row] = await this.database.platform<{ found: boolean[] }>(BEHIND, [
      places.map(({ tenantId }) => tenantId), places.map(({ place }) => place.xid), places.map(({ place }) => place.position), places.map(({ documentId }) => documentId),
    ]);
    return row?.found ?? [];
  }
}
