import type { Job, Queue } from 'bull';
import type { IssuanceJob } from '../../src/platform/queue/issuance-bell.js';
import type { Process, Scheduler } from './scheduler.js';

interface WaitingJob {
  readonly id: string;
  readonly data: IssuanceJob;
}

/** What befalls jobs that are added. */
export type AddFault = 'none' | 'refused' | 'hangs' | 'lost' | 'doubled' | 'acknowledgement_lost';

type Consumer = (job: Job<IssuanceJob>) => Promise<void>;

/** Redis with the one queue; keeps nothing that may not be lost. */
export class SimulatedRedis {
  private waiting: WaitingJob[] = [];
  private readonly consumers = new Map<Process, { readonly handle: Consumer; active: number; readonly jobs: Set<WaitingJob> }>();
  /** Job ids that Bull would ignore: those still waiting or being processed. */
  private readonly known = new Map<string, number>();
  up = true;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly fault: () => AddFault,
    private readonly concurrency: number,
  ) {}

  /** Bull's queue as one process sees it. */
  clientFor(owner: Process): Queue<IssuanceJob> {
    const queue = {
      client: { status: 'ready' },
      on: () => queue,
      process: (_name: string, _concurrency: number, handle: Consumer) => {
        this.consumers.set(owner, { handle, active: 0, jobs: new Set() });
        return Promise.resolve();
      },
      getWaitingCount: () => Promise.resolve(this.waiting.length),
      addBulk: (jobs: { data: IssuanceJob; opts: { jobId: string } }[]) => this.add(owner, jobs.map(({ data, opts }) => ({ id: opts.jobId, data }))),
    };
    Object.defineProperty(queue, 'client', { get: () => ({ status: this.up ? 'ready' : 'reconnecting', ping: () => Promise.resolve('PONG'), set: () => this.add(owner, []) }) });
    return queue as unknown as Queue<IssuanceJob>;
  }

  private add(owner: Process, jobs: readonly WaitingJob[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.scheduler.add({
        owner, label: 'queue add', at: this.scheduler.now, idle: false,
        fire: () => {
          const fault = this.up ? this.fault() : 'hangs';
          switch (fault) {
            case 'refused': reject(new Error('READONLY You can not write against a read only replica')); return;
            case 'hangs': return;
            case 'lost': resolve(jobs); return;
            case 'doubled': this.keep(jobs); this.keep(jobs.map((job) => ({ ...job, id: `${job.id}:again` }))); resolve(jobs); return;
            case 'acknowledgement_lost': this.keep(jobs); reject(new Error('Connection is closed')); return;
            case 'none': this.keep(jobs); resolve(jobs);
          }
        },
      });
    });
  }

  private keep(jobs: readonly WaitingJob[]): void {
    for (const job of jobs) {
      if (this.known.has(job.id)) continue;
      this.known.set(job.id, 1);
      this.waiting.push(job);
    }
  }

  flush(): void {
    this.waiting = [];
    this.known.clear();
  }

  get length(): number {
    return this.waiting.length;
  }

  /** Takes the job at a place out: lost. */
  lose(place: number): void {
    this.waiting.splice(place % Math.max(1, this.waiting.length), 1);
  }

  /** Puts a second copy of a waiting job in. */
  double(place: number): void {
    const job = this.waiting[place % Math.max(1, this.waiting.length)];
    if (job) this.waiting.push({ ...job, id: `${job.id}:copy` });
  }

  /** A foreign or spoilt job. */
  spoil(data: unknown): void {
    this.waiting.push({ id: `foreign:${this.scheduler.steps}`, data: data as IssuanceJob });
  }

  /** Workers that would take a job now. */
  ready(): readonly Process[] {
    if (this.waiting.length === 0 || !this.up) return [];
    return [...this.consumers].filter(([owner, { active }]) => owner.alive && !owner.paused && active < this.concurrency).map(([owner]) => owner);
  }

  /** Hands the `place`-th waiting job (0: the oldest) to a worker. */
  deliver(owner: Process, place: number): void {
    const consumer = this.consumers.get(owner);
    const [job] = this.waiting.splice(place % this.waiting.length, 1);
    if (!consumer || !job) return;
    consumer.active += 1;
    consumer.jobs.add(job);
    const done = (): void => {
      consumer.active -= 1;
      consumer.jobs.delete(job);
      this.known.delete(job.id);
    };
    void consumer.handle({ id: job.id, data: job.data } as Job<IssuanceJob>).then(done, done);
  }

  /** A worker is gone; Bull hands its active jobs out again once they stall, or has failed them for ever. */
  forget(owner: Process, stalled: boolean): void {
    for (const job of this.consumers.get(owner)?.jobs ?? []) {
      if (stalled) this.waiting.push(job);
      else this.known.delete(job.id);
    }
    this.consumers.delete(owner);
  }
}
