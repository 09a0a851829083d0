import { once } from 'node:events';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { answered } from '../../../platform/http/answered.js';
import { Shutdown } from '../../../platform/shutdown/shutdown.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK, type Sleeper, SLEEPER } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { eventPayload } from '../event-payload.js';
import { cursorOf, type EventPosition, positionOf, refuseExpired } from '../event-position.js';
import type { EventStreamQuery } from '../events.dto.js';
import { type EventSelection, EventsRepository, type EventsFound } from '../persistence/events.repository.js';
import { EventLookout } from './event-lookout.js';

/**
 * Proxies end connections on which nothing moves. A silent stream looks at the time every five seconds or so. It tells its place, too:
 * of a stream of one type that of the last event may be gone through retention when its reader comes back.
 */
const HEARTBEAT_MS = 10_000;
/** For a reader whose connection stands, and who takes nothing of what waits for him. */
const PATIENCE_MS = 30_000;
const RETRY_AFTER_SECONDS = 15;
const RECONNECT_MS = 2_000;
const BATCH = 50;
const HEADERS = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' } as const;
const ENDED = new Error('the stream ends');

/** Streams of events (Server-Sent Events). A stream holds a position and nothing else: whoever lost it goes on from the last id. */
@Injectable()
export class EventStreams implements BeforeApplicationShutdown {
  private readonly log = new Logger(EventStreams.name);
  /** The streams of each tenant, with whom each is for. */
  private readonly open = new Map<string, Map<AbortController, string>>();

  constructor(
    private readonly events: EventsRepository,
    private readonly lookout: EventLookout,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly shutdown: Shutdown,
  ) {}

  /**
   * Streams until the client leaves, its key or session ends, or the process stops; to HEAD it answers the headers alone.
   * @throws DomainError RATE_LIMITED when the tenant holds too many streams open, or one person of it
   * @throws ValidationFailure when it is to go on from what is no position, or from one that has expired
   */
  async serve(tenant: TenantContext, query: EventStreamQuery, lastEventId: string | undefined, response: Response): Promise<void> {
    const start = startOf(query, lastEventId);
    // Nothing follows the headers: such a request holds no stream open.
    if (response.req.method === 'HEAD') {
      response.writeHead(200, HEADERS).end();
      return;
    }
    const ending = this.enter(tenant);
    void answered(response).then(() => ending.abort(ENDED));
    try {
      const selection = { type: query.type ?? null, documentId: query.document_id ?? null };
      const first = await this.events.after(tenant, start?.at ?? null, selection, BATCH, this.clock.now());
      if (start !== null) refuseExpired(start.at, first, start.loc);
      response.writeHead(200, HEADERS);
      await this.send(response, `retry: ${RECONNECT_MS}\n${first.events.length === 0 ? `id: ${cursorOf(first.at)}\n` : ''}\n`, ending.signal);
      await this.follow(tenant, selection, first, response, ending.signal);
    } catch (error) {
      if (!response.headersSent) throw error;
      // The client comes back and goes on from its last id.
      if (!ending.signal.aborted) this.log.warn(`a stream of events ends: ${(error as Error).message}`);
    } finally {
      this.leave(tenant.tenantId, ending);
      if (response.headersSent) response.end();
    }
  }

  /** Before the server waits for its connections: these would never end by themselves. */
  beforeApplicationShutdown(): void {
    for (const streams of this.open.values()) for (const stream of streams.keys()) stream.abort(ENDED);
  }

  private async follow(tenant: TenantContext, selection: EventSelection, first: EventsFound, response: Response, ending: AbortSignal): Promise<void> {
    let found = first;
    let spokenAt = this.clock.now().getTime();
    // If the database began another life, or events are gone that were not read, the client learns so when it comes back.
    while (found.isCredentialValid && !found.isExpired && found.at.lineage === first.at.lineage) {
      for (const event of found.events) await this.send(response, messageOf(event), ending);
      const now = this.clock.now().getTime();
      if (found.events.length > 0) spokenAt = now;
      else if (now - spokenAt >= HEARTBEAT_MS) {
        await this.send(response, `id: ${cursorOf(found.at)}\n:\n\n`, ending);
        spokenAt = now;
      }
      if (!found.isMore) await this.lookout.until({ tenantId: tenant.tenantId, documentId: selection.documentId, at: found.at }, ending);
      found = await this.events.after(tenant, found.at, selection, BATCH, this.clock.now());
    }
  }

  /** Waits for a slow reader, so that nothing heaps up. One that reads nothing is cut off: nobody looks meanwhile whether it still may. */
  private async send(response: Response, text: string, ending: AbortSignal): Promise<void> {
    ending.throwIfAborted();
    if (response.write(text)) return;
    const drained = new AbortController();
    const patience = this.sleeper.sleep(PATIENCE_MS, drained.signal).then(() => response.destroy(), () => undefined);
    try {
      await once(response, 'drain', { signal: ending });
    } finally {
      drained.abort();
      await patience;
    }
  }

  private enter({ tenantId, principal }: TenantContext): AbortController {
    const streams = this.open.get(tenantId) ?? new Map<AbortController, string>();
    const limit = this.settings.EVENT_STREAMS_PER_TENANT;
    const refuseBeyond = (count: number, most: number, limits: string): void => {
      if (count >= most) throw new DomainError('RATE_LIMITED', { limit: most, limits, retry_after_seconds: RETRY_AFTER_SECONDS });
    };
    refuseBeyond(streams.size, limit, 'streams');
    // Pages that one person left open leave room for the others.
    if (principal.kind === 'user') refuseBeyond([...streams.values()].filter((id) => id === principal.id).length, Math.ceil(limit / 2), 'streams_of_person');
    const ending = new AbortController();
    // It was still being let in when the others were ended: it ends at once, and its client goes to another process.
    if (this.shutdown.isStopping) ending.abort(ENDED);
    this.open.set(tenantId, streams.set(ending, principal.id));
    return ending;
  }

  private leave(tenantId: string, ending: AbortController): void {
    const streams = this.open.get(tenantId);
    streams?.delete(ending);
    if (streams?.size === 0) this.open.delete(tenantId);
  }
}

/** What the client saw last, as its browser repeats it, before what its address says. */
function startOf({ cursor }: EventStreamQuery, lastEventId: string | undefined): { readonly at: EventPosition; readonly loc: readonly string[] } | null {
  const isRepeated = lastEventId !== undefined && lastEventId !== '';
  const given = isRepeated ? lastEventId : cursor;
  if (given === undefined) return null;
  const loc = isRepeated ? ['header', 'Last-Event-ID'] : ['query', 'cursor'];
  return { at: positionOf(given, loc), loc };
}

const messageOf = (event: EventsFound['events'][number]): string => `id: ${cursorOf(event)}\nevent: ${event.type}\ndata: ${JSON.stringify(eventPayload(event))}\n\n`;
