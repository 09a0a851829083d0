import { Inject, Injectable, Logger, type OnApplicationShutdown, Optional } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { DomainError } from '../../shared/domain-error.js';
import { type Sleeper, SLEEPER } from '../../shared/ports.js';
import type { RideInput } from '../../sri/ride/input.js';
import type { LogoProblem } from '../../sri/ride/logo.js';
import { FairTurns, type Room } from '../fair-turns.js';
import { IsolatedThread, type ThreadLimits } from '../isolation/isolated-thread.js';

/** All of a printed document but its logo. */
export type PrintedDocument = Omit<RideInput, 'logo'>;

export interface PrintTask {
  readonly document: PrintedDocument;
  /** PNG or JPEG as it was stored. */
  readonly logo: Uint8Array | null;
}

interface Printed {
  readonly kind: 'printed';
  readonly bytes: Uint8Array;
  readonly logoProblem: LogoProblem | null;
}

/**
 * `failed`: the thread refused this document and goes on. `lost`: it ended, or was ended, over this document. `out_of_memory`,
 * `out_of_time`: the same, because the document took more than {@link LIMITS}. `no_room`: the machine had none for its process.
 * `stopping`: this process prints no more.
 */
interface NotPrinted {
  readonly kind: 'failed' | 'lost' | 'out_of_memory' | 'out_of_time' | 'no_room' | 'stopping';
  readonly reason: string;
}

export type PrintAnswer = Printed | NotPrinted;

export interface Ride {
  readonly bytes: Buffer;
  /** Why the logo is missing on it; null when there is nothing to say. */
  readonly logoProblem: LogoProblem | 'unprintable' | null;
}

const LIMITS: ThreadLimits = { heapMb: 256, residentMb: 384, processorMs: 10_000 };
/** By the clock: a thread that does nothing at all. */
const PATIENCE_MS = 60_000;
/** One thread draws; a tenant may have a page of documents waiting, or all the mails that a worker writes at once. */
const roomFor = (mails: number): Room => ({ atOnce: 1, atOnceOfTenant: 1, waiting: Math.max(64, mails), waitingOfTenant: Math.max(24, mails) });

/** What draws. */
export interface RideThread {
  readonly file: URL;
  readonly limits: ThreadLimits;
}

const COMPILED_THREAD: RideThread = { file: new URL('./ride-thread.js', import.meta.url), limits: LIMITS };
const RIDE_THREAD = Symbol('RideThread');

/**
 * Draws printed documents in a process of its own, one after the other: a document of hundreds of lines takes tenths of
 * a second of computing, and other requests must not wait for it. It starts with the first document.
 */
@Injectable()
export class RidePrinter implements OnApplicationShutdown {
  private readonly log = new Logger(RidePrinter.name);
  private thread: IsolatedThread | null = null;
  private answer: ((answer: PrintAnswer) => void) | null = null;
  private readonly turns: FairTurns;
  private isStopping = false;

  constructor(
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Inject(SETTINGS) { MAIL_CONCURRENCY }: Pick<Settings, 'MAIL_CONCURRENCY'>,
    @Optional() @Inject(RIDE_THREAD) private readonly drawing: RideThread = COMPILED_THREAD,
  ) {
    this.turns = new FairTurns(roomFor(MAIL_CONCURRENCY));
  }

  /**
   * Draws a document. A logo never costs the document: when drawing fails with it, it is drawn without. Only not when its time ran
   * out: a logo takes little of it, and others wait.
   * @throws DomainError SERVICE_UNAVAILABLE when too many documents wait, of the tenant or of all; then those of who prints most are refused.
   *   Also when the document takes more processor time or memory than there is for one, the machine has no room, or this process is stopping
   * @throws Error when the document cannot be drawn
   */
  print(tenantId: string, document: PrintedDocument, logo: Uint8Array | null): Promise<Ride> {
    return this.turns.take(tenantId, () => new DomainError('SERVICE_UNAVAILABLE', { reason: 'printing_busy' }), () => this.draw(document, logo));
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    this.answer?.(STOPPING);
    await this.endThread();
  }

  private async draw(document: PrintedDocument, logo: Uint8Array | null): Promise<Ride> {
    const answer = await this.attempt({ document, logo });
    if (answer.kind === 'printed') return { bytes: Buffer.from(answer.bytes), logoProblem: answer.logoProblem };
    if (logo === null || !mayBeTheLogo(answer)) throw notDrawn(answer);
    const bare = await this.attempt({ document, logo: null });
    if (bare.kind === 'printed') return { bytes: Buffer.from(bare.bytes), logoProblem: 'unprintable' };
    throw notDrawn(bare);
  }

  private async attempt(task: PrintTask): Promise<PrintAnswer> {
    if (this.isStopping) return STOPPING;
    const thread = (this.thread ??= this.start());
    const overtime = new AbortController();
    const answered = new Promise<PrintAnswer>((resolve) => (this.answer = resolve));
    const deadline = this.sleeper.sleep(PATIENCE_MS, overtime.signal).then(() => LATE, () => LATE);
    thread.keepsProcessUp(true);
    thread.post(task);
    try {
      const answer = await Promise.race([answered, deadline]);
      if (answer === LATE) await this.endThread();
      return answer;
    } finally {
      overtime.abort();
      this.answer = null;
      thread.keepsProcessUp(false);
    }
  }

  private start(): IsolatedThread {
    return new IsolatedThread(this.drawing.file, this.drawing.limits, {
      answered: (answer) => this.answer?.(answer as PrintAnswer),
      ended: ({ limit, reason }) => {
        this.thread = null;
        if (limit === 'machine') this.log.error(`no document is printed: ${reason}`);
        else if (limit !== null) this.log.warn(`a document could not be drawn: ${reason}`);
        this.answer?.({ kind: limit === null ? 'lost' : KIND_OF_LIMIT[limit], reason });
      },
    });
  }

  private async endThread(): Promise<void> {
    const { thread } = this;
    this.thread = null;
    await thread?.end();
  }
}

const LATE: PrintAnswer = { kind: 'lost', reason: `no document after ${PATIENCE_MS} ms` };

const STOPPING: PrintAnswer = { kind: 'stopping', reason: 'this process is stopping' };

const KIND_OF_LIMIT = { machine: 'no_room', memory: 'out_of_memory', processor_time: 'out_of_time' } as const;

const mayBeTheLogo = ({ kind }: NotPrinted): boolean => kind === 'failed' || kind === 'lost' || kind === 'out_of_memory';

/** Seconds after which a document that took too much is worth another try: a machine that is busy counts more time for it. */
const TRY_AGAIN_SECONDS = 60;

function notDrawn({ kind, reason }: NotPrinted): Error {
  switch (kind) {
    case 'no_room':
      return new DomainError('SERVICE_UNAVAILABLE', { reason: 'machine_busy' });
    case 'out_of_memory':
    case 'out_of_time':
      return new DomainError('SERVICE_UNAVAILABLE', { reason: 'printing_too_costly', retry_after_seconds: TRY_AGAIN_SECONDS });
    case 'stopping':
      return new DomainError('SERVICE_UNAVAILABLE', { reason: 'printing_busy' });
    default:
      return new Error(`the document could not be drawn: ${reason}`);
  }
}
