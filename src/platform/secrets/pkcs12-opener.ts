import { Worker } from 'node:worker_threads';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { DomainError } from '../../shared/domain-error.js';
import { type Sleeper, SLEEPER } from '../../shared/ports.js';
import type { InspectedContainer } from '../../sri/signing/pkcs12.js';
import type { Pkcs12Reason } from '../../sri/signing/pkcs12-error.js';

export interface OpeningTask {
  readonly bytes: Uint8Array;
  readonly password: string;
  /** ISO instant at which validity is judged. */
  readonly now: string;
}

export interface OpenedContainer extends Pick<InspectedContainer, 'refusal' | 'pairs' | 'chain'> {
  readonly kind: 'opened';
  /** Secret: wipe after use. */
  readonly privateKeyPkcs8: Uint8Array;
  readonly certificateDer: Uint8Array;
}

/** A container that does not open, or holds no pair of key and certificate. */
export interface RefusedContainer {
  readonly kind: 'refused';
  /** A reason of the reader, or `too_costly` when the file exceeded time or memory. */
  readonly reason: Pkcs12Reason | 'too_costly';
  readonly message: string;
}

export type OpeningResult = OpenedContainer | RefusedContainer;

const TIME_LIMIT_MS = 3_000;
const MEMORY_LIMIT_MB = 256;
/** Threads at once in one process: uploads are rare, and a bomb must not starve the requests. */
const MAX_CONCURRENT = 2;
const MAX_WAITING = 16;

const COMPILED_WORKER = new URL('./pkcs12-worker.js', import.meta.url);
export const PKCS12_WORKER_FILE = Symbol('Pkcs12WorkerFile');

/** Opens uploaded PKCS#12 files in a thread of their own, which is ended after 3 seconds or 256 MB. */
@Injectable()
export class Pkcs12Opener {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Optional() @Inject(PKCS12_WORKER_FILE) private readonly workerFile: URL = COMPILED_WORKER,
  ) {}

  /**
   * Opens a container. Never throws for what the file holds. A pair that cannot sign is handed out with its `refusal`.
   * @throws DomainError SERVICE_UNAVAILABLE when too many files wait already
   */
  async open(bytes: Uint8Array, password: string, now: Date): Promise<OpeningResult> {
    await this.enter();
    try {
      return await this.runThread({ bytes, password, now: now.toISOString() });
    } finally {
      this.leave();
    }
  }

  private async runThread(task: OpeningTask): Promise<OpeningResult> {
    const worker = new Worker(this.workerFile, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
      // The parser needs nothing of the host: no arguments, no environment (it holds secrets).
      argv: [],
      env: {},
      execArgv: [],
    });
    const done = new AbortController();
    const answer = new Promise<OpeningResult>((resolve, reject) => {
      worker.once('message', (result: OpeningResult) => resolve(result));
      worker.once('error', (error: Error) => (isOutOfMemory(error) ? resolve(TOO_COSTLY) : reject(error)));
      worker.once('exit', () => resolve(TOO_COSTLY));
    });
    const deadline = this.sleeper.sleep(TIME_LIMIT_MS, done.signal).then(
      () => TOO_COSTLY,
      () => TOO_COSTLY,
    );
    try {
      return await Promise.race([answer, deadline]);
    } finally {
      done.abort();
      await worker.terminate();
    }
  }

  private async enter(): Promise<void> {
    if (this.running < MAX_CONCURRENT) {
      this.running += 1;
      return;
    }
    if (this.waiting.length >= MAX_WAITING) throw new DomainError('SERVICE_UNAVAILABLE', { reason: 'uploads_waiting' });
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Hands the place to the next in line, or frees it. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.running -= 1;
    else next();
  }
}

const isOutOfMemory = (error: Error): boolean => 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

const TOO_COSTLY: RefusedContainer = { kind: 'refused', reason: 'too_costly', message: 'the file takes too much time or memory to open' };
