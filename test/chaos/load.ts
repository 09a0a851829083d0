import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientAnswer, ClientRecord } from '../support/client-ledger.js';
import type { SeededRandom } from '../support/seeded-random.js';
import { invoiceBody, type Place } from '../support/tenants.js';

export interface LoadOptions {
  /** New documents per second. */
  readonly rate: number;
  /** Without an answer after this long, a patient caller gives up. */
  readonly timeoutMs: number;
}

/** Documents wanted at once beyond which new ones wait: callers too have their limits. */
const MAX_OPEN = 300;
const RETRY_MS = [200, 500, 1_000, 2_000] as const;

interface Wish extends ClientRecord {
  readonly place: Place;
  readonly body: string;
  readonly answers: ClientAnswer[];
}

/** Callers of the API: post, lose patience, post again, repeat themselves; and write down every answer. */
export class Load {
  readonly records: Wish[] = [];
  /** Answers by status; `none` where none came. */
  readonly statuses: Record<string, number> = {};
  /** What no fault excuses. */
  readonly violations: string[] = [];
  private open = 0;
  private running = true;
  private serial = 0;
  private readonly under = new Set<Promise<void>>();
  private generating: Promise<void> = Promise.resolve();
  private retrying = true;

  constructor(
    private readonly apiUrls: () => readonly string[],
    private readonly places: readonly Place[],
    private readonly random: SeededRandom,
    private readonly options: LoadOptions,
  ) {}

  start(): void {
    this.generating = this.generate();
  }

  get accepted(): number {
    return this.records.filter(({ answers }) => answers.some(({ status }) => status === 202)).length;
  }

  get unsettled(): number {
    return this.open;
  }

  /** Stops wishing for new documents and waits until every wish with a key is answered. */
  async finish(limitMs: number): Promise<void> {
    this.running = false;
    await this.generating;
    const all = Promise.allSettled([...this.under]);
    const late = sleep(limitMs, 'late', { ref: false });
    if ((await Promise.race([all, late])) === 'late') {
      this.retrying = false;
      this.violations.push(`I4: after ${limitMs / 1_000} s without faults ${this.open} callers were still not answered`);
      await all;
    }
  }

  private async generate(): Promise<void> {
    let next = performance.now();
    while (this.running) {
      next += (-Math.log(1 - this.random.next()) / this.options.rate) * 1_000;
      await sleep(Math.max(0, next - performance.now()));
      if (performance.now() - next > 5_000 || this.open >= MAX_OPEN) next = performance.now();
      if (this.open < MAX_OPEN) this.spawn(this.wish());
    }
  }

  private spawn(task: Promise<void>): void {
    this.open += 1;
    const tracked = task
      .catch((error: unknown) => {
        this.violations.push(`the load itself failed: ${(error as Error).stack ?? ''}`);
      })
      .finally(() => {
        this.open -= 1;
        this.under.delete(tracked);
      });
    this.under.add(tracked);
  }

  /** One in five documents is taken from the first, hot point. */
  private async wish(): Promise<void> {
    const { random } = this;
    const place = random.chance(0.2) ? this.places[0]! : random.pick(this.places);
    this.serial += 1;
    const numericCode = String(Math.floor(random.between(1, 99_999_999))).padStart(8, '0');
    const wish: Wish = {
      place,
      issuerId: place.issuerId,
      idempotencyKey: random.chance(0.85) ? `order-${this.serial}` : null,
      body: JSON.stringify(invoiceBody(place, numericCode, random.chance(0.01) ? 150 : 1)),
      answers: [],
    };
    const [impatient, repeats, meddles] = [random.chance(0.05), random.chance(0.2), random.chance(0.01)];
    const patience = random.between(1, 40);
    this.records.push(wish);
    if (impatient) await this.post(wish, patience);
    if (wish.idempotencyKey === null) {
      if (!impatient) await this.post(wish, this.options.timeoutMs);
      return;
    }
    for (let attempt = 0; this.retrying && !isAnswered(wish); attempt += 1) {
      if (attempt > 0) await sleep(RETRY_MS[Math.min(attempt, RETRY_MS.length) - 1]);
      await this.post(wish, this.options.timeoutMs);
    }
    if (repeats) {
      await sleep(random.between(0, 5_000));
      await this.post(wish, this.options.timeoutMs);
    }
    if (meddles) await this.meddle(wish);
  }

  /** The same key with other content is refused, whatever else happens. */
  private async meddle(wish: Wish): Promise<void> {
    const other = { ...(JSON.parse(wish.body) as Record<string, unknown>), buyer_name: 'Otra Persona' };
    const answer = await this.send(wish, JSON.stringify(other), this.options.timeoutMs);
    if (answer.status !== null && answer.status !== 409 && answer.status !== 503) {
      this.violations.push(`I3: idempotency key ${wish.idempotencyKey} with other content was answered ${answer.status} ${answer.code ?? ''}`);
    }
  }

  private async post(wish: Wish, timeoutMs: number): Promise<void> {
    const answer = await this.send(wish, wish.body, timeoutMs);
    wish.answers.push(answer);
    if (answer.status !== null && answer.status !== 202 && answer.status !== 503) {
      this.violations.push(`a valid request was answered ${answer.status} ${answer.code ?? ''} at ${new Date(answer.at).toISOString()}`);
    }
  }

  private async send(wish: Wish, body: string, timeoutMs: number): Promise<ClientAnswer> {
    const answer = await request(this.random.pick(this.apiUrls()), wish, body, timeoutMs);
    const name = String(answer.status ?? 'none');
    this.statuses[name] = (this.statuses[name] ?? 0) + 1;
    return answer;
  }
}

/** 202, or an answer that will not change. */
function isAnswered({ answers }: Wish): boolean {
  return answers.some(({ status }) => status !== null && status < 500);
}

async function request(apiUrl: string, wish: Wish, body: string, timeoutMs: number): Promise<ClientAnswer> {
  const at = Date.now();
  try {
    const response = await fetch(`${apiUrl}/documents`, {
      method: 'POST',
      headers: {
        'x-api-key': wish.place.apiKey,
        'content-type': 'application/json',
        ...(wish.idempotencyKey === null ? {} : { 'idempotency-key': wish.idempotencyKey }),
      },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const answer = (await response.json()) as { document_id?: string; access_key?: string; error?: { code: string } };
    return {
      at,
      status: response.status,
      ...(answer.document_id === undefined ? {} : { documentId: answer.document_id }),
      ...(answer.access_key === undefined ? {} : { accessKey: answer.access_key }),
      ...(answer.error === undefined ? {} : { code: answer.error.code }),
    };
  } catch {
    // Time-out, reset, refused, cut off: whatever it was, the caller knows nothing.
    return { at, status: null };
  }
}
