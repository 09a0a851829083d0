import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { SeededRandom } from '../support/seeded-random.js';
import type { ServiceRig, Supervised } from '../support/service-rig.js';

export interface MonkeyOptions {
  /** Seconds between two acts. */
  readonly pause: readonly [number, number];
  /** Seconds that the SRI is away. */
  readonly outage: readonly [number, number];
  /** Seconds of a black hole or a bad line. */
  readonly spell: readonly [number, number];
  /** Seconds that a worker sleeps; longer than its lease. */
  readonly nap: readonly [number, number];
}

interface Act {
  readonly name: string;
  readonly weight: number;
  /** Never two acts on the same at once. */
  readonly on: string;
  run(): Promise<void>;
}

/** Breaks one thing every few seconds and mends it again. */
export class Monkey {
  /** How often each act was done. */
  readonly done: Record<string, number> = {};
  private readonly busy = new Set<string>();
  private readonly running = new Set<Promise<void>>();
  private stopped = false;
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly rig: ServiceRig,
    private readonly apis: readonly Supervised[],
    private readonly workers: readonly Supervised[],
    private readonly random: SeededRandom,
    private readonly options: MonkeyOptions,
    private readonly tell: (what: string) => void,
  ) {}

  start(): void {
    this.loop = this.work();
  }

  /** Waits until everything broken is mended. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.loop;
    await Promise.all(this.running);
    for (const proxy of Object.values(this.rig.proxies)) {
      proxy.clear();
      await proxy.up();
    }
  }

  private async work(): Promise<void> {
    while (!this.isStopped()) {
      await this.wait(this.options.pause);
      if (this.isStopped()) return;
      const possible = this.acts().filter(({ on }) => !this.busy.has(on));
      const act = this.draw(possible);
      if (act === undefined) continue;
      this.busy.add(act.on);
      this.done[act.name] = (this.done[act.name] ?? 0) + 1;
      this.tell(act.name);
      const run = act.run().finally(() => {
        this.busy.delete(act.on);
        this.running.delete(run);
      });
      this.running.add(run);
    }
  }

  private draw(acts: readonly Act[]): Act | undefined {
    let at = this.random.between(0, acts.reduce((sum, { weight }) => sum + weight, 0));
    return acts.find(({ weight }) => (at -= weight) < 0);
  }

  private acts(): Act[] {
    const { rig, random } = this;
    const worker = random.pick(this.workers);
    const api = random.pick(this.apis);
    const { postgres, redis, sri } = rig.proxies;
    const [place, proxy] = random.pick(Object.entries(rig.proxies));
    return [
      { name: 'worker killed', weight: 5, on: worker.name, run: async () => worker.signal('SIGKILL') },
      { name: 'API killed', weight: 3, on: api.name, run: async () => api.signal('SIGKILL') },
      { name: 'worker told to end', weight: 1, on: worker.name, run: async () => worker.signal('SIGTERM') },
      { name: 'worker asleep past its lease', weight: 3, on: worker.name, run: () => this.nap(worker) },
      { name: 'PostgreSQL killed', weight: 3, on: 'postgres', run: () => this.restartPostgres() },
      { name: 'Redis killed', weight: 2, on: 'redis', run: () => this.restartRedis() },
      { name: 'Redis flushed', weight: 3, on: 'redis', run: () => this.flush() },
      { name: 'everything killed', weight: 0.5, on: 'postgres', run: () => this.powerCut() },
      { name: `black hole before ${place}`, weight: 2, on: place, run: () => this.spell(() => proxy.add({ kind: 'timeout' })) },
      { name: `resets before ${place}`, weight: 2, on: place, run: () => this.resetStorm(proxy) },
      { name: `bad line to ${place}`, weight: 1, on: place, run: () => this.spell(() => this.badLine(proxy)) },
      { name: 'PostgreSQL connections forgotten', weight: 1, on: 'postgres', run: async () => postgres.forget() },
      { name: 'Redis connections forgotten', weight: 1, on: 'redis', run: async () => redis.forget() },
      { name: 'SRI out', weight: 1.5, on: 'sri', run: () => this.outage(sri) },
      { name: 'SRI cuts answers', weight: 1, on: 'sri', run: () => this.spell(() => sri.add({ kind: 'limit_data', bytes: Math.floor(random.between(1, 900)) }, 'downstream')) },
    ];
  }

  private async nap(worker: Supervised): Promise<void> {
    const asleep = worker.current;
    asleep?.kill('SIGSTOP');
    await this.wait(this.options.nap, true);
    asleep?.kill('SIGCONT');
  }

  private async restartPostgres(): Promise<void> {
    await this.rig.killPostgres();
    await this.wait([0, 2], true);
    await this.rig.startPostgres();
  }

  private async restartRedis(): Promise<void> {
    await this.rig.killRedis();
    await this.wait([0, 3], true);
    await this.rig.startRedis();
  }

  private async flush(): Promise<void> {
    const client = new Redis(this.rig.redisUrl, { maxRetriesPerRequest: 0, retryStrategy: null, lazyConnect: true });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.flushall();
    } finally {
      client.disconnect();
    }
  }

  private async powerCut(): Promise<void> {
    for (const one of [...this.apis, ...this.workers]) one.signal('SIGKILL');
    await this.restartPostgres();
  }

  private async resetStorm(proxy: ServiceRig['proxies']['sri']): Promise<void> {
    for (let i = 0; i < 20; i += 1) {
      proxy.resetAll();
      await sleep(100);
    }
  }

  private badLine(proxy: ServiceRig['proxies']['sri']): () => void {
    const undo = [proxy.add({ kind: 'latency', milliseconds: 100, jitter: 100 }), proxy.add({ kind: 'slicer', bytes: 200, milliseconds: 2 })];
    return () => undo.forEach((remove) => remove());
  }

  private async spell(begin: () => () => void): Promise<void> {
    const end = begin();
    await this.wait(this.options.spell, true);
    end();
  }

  private async outage(sri: ServiceRig['proxies']['sri']): Promise<void> {
    await sri.down();
    await this.wait(this.options.outage);
    await sri.up();
  }

  /** Waits so many seconds, in small steps: a long wait ends early when the monkey is stopped. */
  private async wait([from, to]: readonly [number, number], fully = false): Promise<void> {
    const until = performance.now() + this.random.between(from, to) * 1_000;
    while (performance.now() < until && (fully || !this.isStopped())) await sleep(Math.max(1, Math.min(250, until - performance.now())));
  }

  private isStopped(): boolean {
    return this.stopped;
  }
}
