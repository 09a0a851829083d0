import { setTimeout as sleep } from 'node:timers/promises';
import { AuthorizationClient } from '../../src/sri/soap/authorization.js';
import type { SriMessage } from '../../src/sri/soap/message.js';
import { ReceptionClient } from '../../src/sri/soap/reception.js';
import { UndiciSoapTransport } from '../../src/sri/soap/transport.js';
import { median } from '../table.js';
import { invoicesOf } from './invoices.js';
import type { Sign } from './peer.js';

export interface PipelineOrder {
  readonly receptionUrl: string;
  readonly authorizationUrl: string;
  readonly seconds: number;
  /** Documents on their way at any time. */
  readonly concurrency: number;
  readonly lines: number;
  /** Nobody else's. */
  readonly emissionPoint: string;
}

export interface PipelineResult {
  readonly seconds: number;
  readonly authorized: number;
  /** Documents that the SRI refused, by what it said, and those that never got an answer. */
  readonly refused: Readonly<Record<string, number>>;
  /** From the signature to AUTORIZADO, in milliseconds; null when nothing was authorized. */
  readonly p50: number | null;
}

/** Waits before each question, in seconds; the last one again and again. */
const LADDER = [0.2, 0.5, 1];
const QUESTIONS = 20;

/**
 * Everything that a caller without a database does: sign, send, ask until it is decided. Nothing is written down, so
 * whatever is on its way when the process ends is lost. The SOAP clients and the invoice's XML are this project's.
 */
export async function runPipeline(sign: Sign, order: PipelineOrder): Promise<PipelineResult> {
  const transport = new UndiciSoapTransport({ connections: order.concurrency });
  const reception = new ReceptionClient(transport, order.receptionUrl);
  const authorization = new AuthorizationClient(transport, order.authorizationUrl);
  const invoice = invoicesOf(order.lines, order.emissionPoint);
  const refused: Record<string, number> = {};
  const latencies: number[] = [];
  const started = performance.now();
  let next = 1;

  const issue = async (): Promise<string | null> => {
    const { xml, accessKey } = invoice(next++);
    const received = await reception.submit(Buffer.from(await sign(xml)), accessKey);
    if (received.kind === 'returned') return said(received.messages);
    if (received.kind !== 'received') return received.kind;
    for (let question = 0; question < QUESTIONS; question += 1) {
      await sleep(LADDER[Math.min(question, LADDER.length - 1)]! * 1000);
      const answer = await authorization.query(accessKey);
      const entry = answer.kind === 'entries' ? answer.entries[0] : undefined;
      if (entry?.estado === 'AUTORIZADO') return null;
      if (entry?.estado === 'NO AUTORIZADO') return said(entry.messages);
    }
    return 'undecided';
  };
  const lane = async (): Promise<void> => {
    while (performance.now() - started < order.seconds * 1000) {
      const from = performance.now();
      const refusal = await issue();
      if (refusal === null) latencies.push(performance.now() - from);
      else refused[refusal] = (refused[refusal] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: order.concurrency }, lane));
  const seconds = (performance.now() - started) / 1000;
  await transport.close();
  return { seconds, authorized: latencies.length, refused, p50: latencies.length === 0 ? null : median(latencies) };
}

function said([first]: readonly SriMessage[]): string {
  return first === undefined ? 'without a message' : `${first.identifier ?? '?'} ${first.additionalInfo ?? first.message}`;
}
