import type { Api } from '../api.js';
import { pastEvents } from '../events.js';
import { CliFailure } from '../failure.js';
import type { Output } from '../output.js';
import { show } from './listen.js';

export interface ReplayOptions {
  readonly webhook?: string;
  readonly delivery?: string;
  readonly from?: string;
  readonly to?: string;
  readonly forwardTo?: string;
  readonly secret?: string;
  readonly document?: string;
  readonly type?: string;
}

/** `sello replay`: past events once more, by a webhook of the service or straight to an address of one's own. */
export async function replay(api: Api, output: Output, options: ReplayOptions): Promise<void> {
  if (options.forwardTo !== undefined) {
    refuseUnread(options, '--forward-to', ['webhook', 'delivery', 'from', 'to']);
    await forwardPast(api, output, options, options.forwardTo);
  } else if (options.webhook !== undefined) {
    refuseUnread(options, '--webhook', ['secret', 'document']);
    if (options.delivery !== undefined) refuseUnread(options, '--delivery', ['from', 'to', 'type']);
    await replayWebhook(api, output, options, options.webhook);
  } else throw new CliFailure('usage', 'say where to: --webhook ID (with --delivery, or --from and --to), or --forward-to URL');
}

/** An option that is not read would have narrowed what is sent: more went out than was asked for. */
function refuseUnread(options: ReplayOptions, way: string, unread: readonly (keyof ReplayOptions)[]): void {
  const given = unread.filter((name) => options[name] !== undefined).map((name) => `--${name}`);
  if (given.length > 0) throw new CliFailure('usage', `${given.join(', ')} cannot be used with ${way}: nothing was sent`);
}

async function replayWebhook(api: Api, output: Output, { delivery, from, to, type }: ReplayOptions, webhook: string): Promise<void> {
  if (delivery !== undefined) {
    const record = await api.post(`/webhooks/${webhook}/deliveries/${delivery}/replay`);
    output.tell(record, `delivery ${delivery} is sent again`);
    return;
  }
  if (from === undefined || to === undefined) throw new CliFailure('usage', '--webhook needs --delivery, or --from and --to');
  const answer = await api.post(`/webhooks/${webhook}/replay`, { from, to, ...(type === undefined ? {} : { kinds: [type] }) });
  output.tell(answer, `sent again: ${JSON.stringify(answer)}`);
}

async function forwardPast(api: Api, output: Output, { document, type, secret }: ReplayOptions, address: string): Promise<void> {
  const forwarder = (await import('../forwarder.js')).Forwarder.to(address, secret);
  output.remark(`Sent to ${address}, signed with ${forwarder.secret}`);
  const filter = new URLSearchParams({ ...(document === undefined ? {} : { document_id: document }), ...(type === undefined ? {} : { type }) });
  let failed = 0;
  for await (const event of pastEvents(api, filter)) if (!(await show(output, event, forwarder))) failed += 1;
  if (failed > 0) throw new CliFailure('refused', `${failed} events were not taken by ${address}`);
}
