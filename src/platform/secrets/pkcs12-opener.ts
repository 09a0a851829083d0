import { Inject, Injectable, Optional } from '@nestjs/common';
import { DomainError } from '../../shared/domain-error.js';
import { type Sleeper, SLEEPER } from '../../shared/ports.js';
import type { InspectedContainer } from '../../sri/signing/pkcs12.js';
import type { Pkcs12Reason } from '../../sri/signing/pkcs12-error.js';
import { FairTurns, type Room } from '../fair-turns.js';
import { IsolatedThread, type ThreadEnding, type ThreadLimits } from '../isolation/isolated-thread.js';

export interface OpeningTask {
  readonly bytes: Uint8Array;
  readonly password: string;
  /** Of several pairs that sign, one of this taxpayer is chosen. */
  readonly ruc: string;
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
  /** A reason of the reader, or `too_costly` when the file exceeded processor time or memory. */
  readonly reason: Pkcs12Reason | 'too_costly';
}

export type OpeningResult = OpenedContainer | RefusedContainer;

/** More processor time than any file needs whose key derivation is accepted. */
const LIMITS: ThreadLimits = { heapMb: 128, residentMb: 256, processorMs: 3_000 };
/** By the clock: the machine has no time for it, whatever the file is. */
const PATIENCE_MS = 30_000;
/** Threads at once: uploads are rare, and a bomb must starve neither the requests nor the uploads of others. */
const ROOM: Room = { atOnce: 2, atOnceOfTenant: 1, waiting: 16, waitingOfTenant: 6 };

const COMPILED_THREAD = new URL('./pkcs12-thread.js', import.meta.url);
const PKCS12_THREAD_FILE = Symbol('Pkcs12ThreadFile');

/** Opens uploaded PKCS#12 files in a process of their own, which is killed after 3 seconds of processor time or beyond 256 MB. */
@Injectable()
export class Pkcs12Opener {
  private readonly turns = new FairTurns(ROOM);

  constructor(
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Optional() @Inject(PKCS12_THREAD_FILE) private readonly threadFile: URL = COMPILED_THREAD,
  ) {}

  /**
   * Opens a container. Never throws for what the file holds. A pair that cannot sign is handed out with its `refusal`.
   * @throws DomainError SERVICE_UNAVAILABLE when too many files wait, of the tenant or of all (then those of who uploads most are
   * refused), or the machine is too busy to tell
   */
  open(tenantId: string, bytes: Uint8Array, password: string, ruc: string, now: Date): Promise<OpeningResult> {
    const full = (): Error => new DomainError('SERVICE_UNAVAILABLE', { reason: 'uploads_waiting' });
    return this.turns.take(tenantId, full, () => this.runThread({ bytes, password, ruc, now: now.toISOString() }));
  }

  private async runThread(task: OpeningTask): Promise<OpeningResult> {
    const done = new AbortController();
    let thread: IsolatedThread | undefined;
    const answer = new Promise<OpeningResult>((resolve, reject) => {
      thread = new IsolatedThread(this.threadFile, LIMITS, {
        answered: (result) => resolve(result as OpeningResult),
        ended: (ending) => (isCostOf(ending) ? resolve(TOO_COSTLY) : reject(brokenOff(ending))),
      });
      thread.post(task);
    });
    const tooLate = this.sleeper.sleep(PATIENCE_MS, done.signal).then(() => null, () => null);
    try {
      const result = await Promise.race([answer, tooLate]);
      if (result === null) throw new DomainError('SERVICE_UNAVAILABLE', { reason: 'machine_busy' });
      return result;
    } finally {
      done.abort();
      await thread?.end();
    }
  }
}

const isCostOf = ({ limit }: ThreadEnding): boolean => limit === 'memory' || limit === 'processor_time';

const brokenOff = ({ limit, reason }: ThreadEnding): Error =>
  limit === 'machine' ? new DomainError('SERVICE_UNAVAILABLE', { reason: 'machine_busy' }) : new Error(`the reader of certificates broke: ${reason}`);

const TOO_COSTLY: RefusedContainer = { kind: 'refused', reason: 'too_costly' };
