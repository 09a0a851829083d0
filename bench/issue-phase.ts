import type { BenchDatabase, MoveTime, Passage, StatementCount } from './issue-database.js';
import { run, type LoadResult, type Request } from './issue-load.js';
import type { ProbeReading } from './issue-probe.js';
import type { BenchStack, PartKind } from './issue-stack.js';

export interface PhaseResult {
  readonly load: LoadResult;
  readonly passage: Passage;
  readonly moves: readonly MoveTime[];
  /** Accepted POSTs per second of the load. */
  readonly acceptedRate: number;
  /** Documents authorized by the time from the first POST to the last AUTHORIZED. */
  readonly authorizedRate: number;
  readonly probes: Readonly<Record<PartKind, readonly ProbeReading[]>>;
  /** Processor time of each part from the first POST to the last AUTHORIZED, in milliseconds. */
  readonly cpuMs: ReadonlyMap<string, number>;
  /** Commands that Redis carried out, those of the queue's and the limits' scripts included. */
  readonly redisCommands: number;
  /** Statements of the service; empty when they cannot be counted. */
  readonly statements: readonly StatementCount[];
}

export interface PhaseOptions {
  readonly requests: readonly Request[];
  readonly clients: number;
  readonly seconds: number;
  readonly rate?: number;
}

/** Runs loads one after the other, each until its last document is finished, and remembers every accepted one. */
export class Phases {
  readonly accepted: string[] = [];
  readonly failures = new Map<string, number>();

  constructor(
    private readonly stack: BenchStack,
    private readonly database: BenchDatabase,
    private readonly say: (line: string) => void,
  ) {}

  async run(title: string, options: PhaseOptions): Promise<PhaseResult> {
    this.say(
      `${title}: ${options.clients} clients for ${options.seconds.toFixed(1)} s${options.rate === undefined ? '' : `, ${options.rate.toFixed(0)} POST/s`}`,
    );
    await this.readAll();
    const before = this.cpu();
    const { commands } = await this.stack.redisFigures();
    const counted = await this.database.resetStatements();
    const load = await run({ ...options, apiUrls: this.stack.apiUrls });
    this.remember(load);
    this.say(`  ${load.accepted.length} accepted; waiting for the last to be AUTHORIZED`);
    await this.database.drain((pending) => this.say(`  ${pending} pending`));
    const probes = await this.readAll();
    const after = this.cpu();
    const redisCommands = (await this.stack.redisFigures()).commands - commands;
    const statements = counted ? await this.database.statements() : [];
    const passage = await this.database.passage(load.startedAt);
    const seconds = (passage.lastAuthorizedAt.getTime() - load.startedAt.getTime()) / 1000;
    const sum = (readings: readonly ProbeReading[]): number => readings.reduce((total, { cpuMs }) => total + cpuMs, 0);
    const cpuMs = new Map([
      ['API', sum(probes.api)],
      ['worker', sum(probes.worker)],
      ['simulator', sum(probes.simulator)],
      ...[...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const),
    ]);
    return {
      load,
      passage,
      moves: await this.database.moveTimes(load.startedAt),
      acceptedRate: load.accepted.length / load.seconds,
      authorizedRate: passage.authorized / seconds,
      probes,
      cpuMs,
      redisCommands,
      statements,
    };
  }

  /** Accepts without workers: nothing is finished, nobody waits for it. */
  async intake(title: string, options: PhaseOptions): Promise<LoadResult> {
    this.say(`${title}: ${options.clients} clients for ${options.seconds.toFixed(1)} s`);
    const load = await run({ ...options, apiUrls: this.stack.apiUrls });
    this.remember(load);
    return load;
  }

  private remember(load: LoadResult): void {
    this.accepted.push(...load.accepted);
    for (const [what, count] of load.failures) this.failures.set(what, (this.failures.get(what) ?? 0) + count);
  }

  private async readAll(): Promise<Record<PartKind, ProbeReading[]>> {
    const [api, worker, simulator] = await Promise.all(
      (['api', 'worker', 'simulator'] as const).map((kind) => this.stack.readings(kind)),
    );
    return { api: api!, worker: worker!, simulator: simulator! };
  }

  /** Servers and the load itself; the service's own processes are read through their probes. */
  private cpu(): Map<string, number> {
    const { user, system } = process.cpuUsage();
    const servers = this.stack.serverCpuMs();
    return new Map([
      ...(servers === null
        ? []
        : ([
            ['PostgreSQL', servers.postgres],
            ['Redis', servers.redis],
          ] as const)),
      ['load and measuring', (user + system) / 1000],
    ]);
  }
}
