import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../api.js';
import { eventLine, type SelloEvent, streamed } from '../events.js';
import { CliFailure } from '../failure.js';
import type { Forwarder } from '../forwarder.js';
import type { Output } from '../output.js';

export interface ListenOptions {
  readonly forwardTo?: string;
  readonly secret?: string;
  readonly type?: string;
  readonly cursor?: string;
  readonly count?: number;
}

const RECONNECT_MS = 2_000;

/** `sello listen`: shows events as they happen, and sends them on; goes on after a lost connection where it was. */
export async function listen(api: Api, output: Output, options: ListenOptions, stop: AbortSignal): Promise<void> {
  const forwarder = options.forwardTo === undefined ? null : (await import('../forwarder.js')).Forwarder.to(options.forwardTo, options.secret);
  const query = options.type === undefined ? '' : `?type=${encodeURIComponent(options.type)}`;
  let cursor = options.cursor ?? null;
  /** The last place of which the service itself told. */
  let reached: string | null = null;
  let seen = 0;
  let isTold = false;
  const tellOnce = (): void => {
    if (isTold) return;
    isTold = true;
    output.remark(`Listening at ${api.connection.url}. Ctrl-C ends it.`);
    if (forwarder !== null) output.remark(`Sent on to ${options.forwardTo ?? ''}, signed with ${forwarder.secret}`);
  };
  const isStopped = (): boolean => stop.aborted;
  while (!isStopped()) {
    let waitMs = RECONNECT_MS;
    try {
      for await (const { event, cursor: position } of streamed(api, query, cursor, stop)) {
        cursor = reached = position;
        // Not before: whoever reads it lets something happen at once.
        tellOnce();
        if (event === null) continue;
        await show(output, event, forwarder);
        seen += 1;
        if (seen === options.count) return;
      }
    } catch (error) {
      if (isStopped()) return;
      if (error instanceof CliFailure) {
        if (reached === null) throw error;
        if (!error.passes) throw endedAt(reached, error);
        waitMs = Math.max(waitMs, error.retryAfterMs ?? 0);
      }
    }
    output.remark('The connection ended; it is opened again.');
    await sleep(waitMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** What may be refused of a stream that was open is the place in it, after a restore, or who asks for it. */
function endedAt(cursor: string, { exit, message, detail }: CliFailure): CliFailure {
  const isPlaceGone = (detail as { code?: string } | null)?.code === 'VALIDATION_FAILED';
  const hint = isPlaceGone ? 'That place is no more: start anew without --cursor.' : `What happens from now on is missed; --cursor ${cursor} goes on here.`;
  return new CliFailure(exit, `${message}\n${hint}`, { ...(detail as object | null), cursor });
}

/** Shows one event and, where it goes on, what came back. */
export async function show(output: Output, event: SelloEvent, forwarder: Forwarder | null): Promise<boolean> {
  const sent = forwarder === null ? null : await forwarder.send(event);
  output.tell(sent === null ? event : { ...event, forwarded: sent }, `${eventLine(event)}${sent === null ? '' : `  ${sent.ok ? '→' : '✗'} ${sent.answer}`}`);
  return sent?.ok ?? true;
}
