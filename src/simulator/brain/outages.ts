import type { ServiceName, TransportAction } from './fault-actions.js';

/** How a service that is down shows it. `unreachable` cannot be shown over HTTP: there the connection is reset. */
export const OUTAGE_KINDS = ['unavailable', 'unreachable', 'silent'] as const;

export type OutageKind = (typeof OUTAGE_KINDS)[number];

export type OutageSnapshot = ReadonlyMap<ServiceName, OutageKind>;

const ACTIONS: Readonly<Record<OutageKind, TransportAction>> = {
  unavailable: {
    kind: 'http',
    status: 503,
    content_type: 'text/html; charset=utf-8',
    headers: {},
    phase: 'before',
  },
  unreachable: { kind: 'reset', phase: 'before' },
  silent: { kind: 'hang', phase: 'before' },
};

/** Which services are down: each on its own, so that half of the SRI can be away. */
export class Outages {
  private down = new Map<ServiceName, OutageKind>();

  takeDown(service: ServiceName, kind: OutageKind = 'unavailable'): void {
    this.down.set(service, kind);
  }

  bringUp(service: ServiceName): void {
    this.down.delete(service);
  }

  /** Null when the service is up. */
  of(service: ServiceName): OutageKind | null {
    return this.down.get(service) ?? null;
  }

  snapshot(): OutageSnapshot {
    return new Map(this.down);
  }

  restore(snapshot: OutageSnapshot): void {
    this.down = new Map(snapshot);
  }
}

/** What befalls a request to a service that is down. */
export function outageAction(kind: OutageKind): TransportAction {
  return ACTIONS[kind];
}
