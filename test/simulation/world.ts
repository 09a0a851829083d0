import { DomainError } from '../../src/shared/domain-error.js';
import type { IssuedDocument } from '../../src/modules/documents/use-cases/issue-document.js';
import { IssueDocument } from '../../src/modules/documents/use-cases/issue-document.js';
import { AbandonDocument } from '../../src/modules/documents/use-cases/abandon-document.js';
import { CorrectDocument } from '../../src/modules/documents/use-cases/correct-document.js';
import { CancelDocument } from '../../src/modules/documents/use-cases/cancel-document.js';
import { ReconcileDocument } from '../../src/modules/documents/use-cases/reconcile-document.js';
import { RetryDocument } from '../../src/modules/documents/use-cases/retry-document.js';
import { WithdrawCancellation } from '../../src/modules/documents/use-cases/withdraw-cancellation.js';
import { GetDocument } from '../../src/modules/documents/use-cases/get-document.js';
import type { FaultRuleInput } from '../../src/simulator/brain/fault-rules.js';
import type { TenantContext } from '../../src/shared/tenant-context.js';
import { dtoOf, FIRST_BUYER, requestBody, VARIANT_COUNT, type RequestBody } from './bodies.js';
import { COMMANDS, type CommandName } from './commands.js';
import { NO_BUG, type PlantedBug } from './planted-bug.js';
import { MemoryStore, type PlaceRow } from './memory-store.js';
import { Oracle, Violation } from './oracle.js';
import { type Api, type Ports, quickKeys, SETTINGS, startApi, startWorker } from './programs.js';
import { type AddFault, SimulatedRedis } from './queue.js';
import { type Process, Scheduler, type Task } from './scheduler.js';
import { type NetworkFault, SimulatedSri } from './sri.js';
import { type Call, type Store, type StoreFault, SimulatedTransaction } from './store.js';
import type { Swarm } from './swarm.js';
import type { Tape } from './tape.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const PATIENCE_MS = SETTINGS.RELAY_PATIENCE_SECONDS * SECOND;

/** 15:00, 18:45 and 23:55 in Ecuador: the last two are the next day in UTC, the last one crosses midnight. */
const STARTS = ['2026-03-10T20:00:00Z', '2026-03-10T23:45:00Z', '2026-03-11T04:55:00Z'].map((text) => Date.parse(text));
const SPANS = [SECOND, 6 * SECOND, 20 * SECOND, 65 * SECOND, 10 * MINUTE, HOUR, 6 * HOUR, 30 * HOUR];
const SKEWS = [0, 400, -400, 5 * SECOND, -5 * SECOND, 90 * SECOND];
const STEP_BUDGETS = [0, 2, 5, 12, 30, 80];
const WALK_STEPS = 500;
const REST_STEPS = 60_000;

const SCRIPTS: readonly (FaultRuleInput['action'] | { readonly kind: 'dated'; readonly date: string })[] = [
  { kind: 'refuse', code: '35', at: 'reception' },
  { kind: 'refuse', code: '39', at: 'authorization' },
  { kind: 'refuse', code: '43', at: 'reception', stored: true },
  { kind: 'refuse', code: '45', at: 'reception' },
  { kind: 'refuse', code: '45', at: 'reception', stored: true },
  { kind: 'refuse', code: '50', at: 'reception' },
  { kind: 'refuse', code: '50', at: 'reception', stored: true },
  { kind: 'refuse', code: '52', at: 'authorization' },
  { kind: 'refuse', code: '65', at: 'reception' },
  { kind: 'refuse', code: '70', at: 'reception', stored: true },
  { kind: 'refuse', code: '70', at: 'reception' },
  { kind: 'refuse', code: '57', at: 'reception' },
  { kind: 'refuse', code: '56', at: 'authorization' },
  { kind: 'in_process' },
  { kind: 'empty' },
  { kind: 'state', estado: 'EN REVISION' },
  { kind: 'state', estado: 'RECHAZADA' },
  { kind: 'state', estado: '' },
  { kind: 'repeated' },
  { kind: 'refused_before', code: '39' },
  { kind: 'refused_before', code: '57' },
  { kind: 'query_refused', code: '80' },
  { kind: 'dated', date: '9999-12-31T23:59:59-05:00' },
  { kind: 'dated', date: '0000-01-01T00:00:00-05:00' },
  { kind: 'tampered', what: 'key' },
  { kind: 'tampered', what: 'document' },
  { kind: 'hang', phase: 'after' },
  { kind: 'reset', phase: 'before' },
];

const STORE_FAULTS: readonly StoreFault[] = ['none', 'not_executed', 'acknowledgement_lost', 'late_answer'];
const ADD_FAULTS: readonly AddFault[] = ['none', 'refused', 'hangs', 'lost', 'doubled', 'acknowledgement_lost'];
const NETWORK_FAULTS: readonly NetworkFault[] = ['none', 'not_delivered', 'lost_on_the_way', 'answer_lost', 'delivered_late', 'slow_answer'];

/** What an action may be refused for. */
const ACTION_REFUSALS: ReadonlySet<string> = new Set(['INVALID_STATE', 'SRI_UNAVAILABLE', 'FISCAL_RULE_VIOLATED', 'CERTIFICATE_EXPIRED']);

/** A request that some client made, for repeating it. */
interface PastRequest {
  readonly tenant: number;
  readonly key: string | null;
  readonly body: RequestBody;
}

/** Something a history runs in: places, a store, and how to reach it. */
export interface Ground {
  readonly places: readonly PlaceRow[];
  readonly store: Store;
}

/** Ids for one history; every run names everything alike. */
export function uuidAt(n: number): string {
  const hex = n.toString(16).padStart(12, '0');
  return `00000000-0000-4000-8000-${hex}`;
}

/** Two tenants with two emission points each, in memory. */
export function memoryGround(start: number): Ground {
  const store = new MemoryStore();
  const places = [1, 2].map((tenant): PlaceRow => ({
    tenantId: uuidAt(tenant * 100), apiKeyId: uuidAt(tenant * 100 + 1), issuerId: uuidAt(tenant * 100 + 2), ruc: tenant === 1 ? '1790012345001' : '1790085783001',
    establishmentId: uuidAt(tenant * 100 + 3),
    points: [
      { id: uuidAt(tenant * 100 + 4), code: '001', initialSequential: 1 },
      { id: uuidAt(tenant * 100 + 5), code: '002', initialSequential: 41 },
    ],
  }));
  for (const [index, place] of places.entries()) {
    store.places.set(place.tenantId, place);
    store.uploadCertificate(place.tenantId, uuidAt((index + 1) * 100 + 9), start);
  }
  return { places, store };
}

/** The service, its surroundings and everything that may go wrong with them. */
export class World {
  readonly scheduler: Scheduler;
  readonly oracle: Oracle;
  readonly redis: SimulatedRedis;
  readonly sri: SimulatedSri;
  private readonly network: Process = { name: 'network', alive: true, paused: false };
  private readonly apis: { process: Process; api: Api }[] = [];
  private readonly workers: Process[] = [];
  private readonly requests: PastRequest[] = [];
  /** Refusals a client may meet, by tenant. */
  private readonly excuses: Set<string>[];
  private faulty = true;
  private ids = 0x10_0000;
  private programs = 0;
  private clients = 0;
  private corrections = 0;
  /** Tenants whose signing key does not open until another is uploaded. */
  private readonly damagedKeys = new Set<string>();
  private readonly bugMemory = new Set<string>();
  private readonly rawRequests = new Map<string, string>();
  readonly start: number;

  private constructor(
    private readonly tape: Tape,
    private readonly swarm: Swarm,
    private readonly ground: Ground,
    start: number,
    private readonly bug: PlantedBug,
  ) {
    this.start = start;
    this.scheduler = new Scheduler(start);
    const { store, places } = ground;
    this.excuses = places.map(() => new Set<string>());
    const now = (): number => this.scheduler.now;
    const firstNumberOf = (pointId: string): number => places.flatMap(({ points }) => points).find(({ id }) => id === pointId)!.initialSequential;
    this.oracle = new Oracle(now, firstNumberOf, () => this.sri.brain, store instanceof MemoryStore ? (id) => store.committed(id) : null);
    this.redis = new SimulatedRedis(this.scheduler, this.addFault, SETTINGS.WORKER_CONCURRENCY);
    this.sri = new SimulatedSri(this.scheduler, this.network, this.networkFault, this.oracle);
  }

  static async create(tape: Tape, swarm: Swarm, groundAt: (start: number) => Ground | Promise<Ground>, bug: PlantedBug = NO_BUG): Promise<World> {
    tape.next();
    const start = STARTS[tape.pick(STARTS.length)]!;
    const world = new World(tape, swarm, await groundAt(start), start, bug);
    for (let apis = 1 + tape.pick(2); apis > 0; apis -= 1) world.startApi();
    for (let workers = 1 + tape.pick(3); workers > 0; workers -= 1) world.startWorker();
    await world.scheduler.settle();
    return world;
  }

  // --- programs ------------------------------------------------------------

  private ports(owner: Process): Ports {
    const { scheduler, redis, sri, bug } = this;
    const Transaction = bug.Transaction ?? SimulatedTransaction;
    const transaction = new Transaction({
      owner, scheduler, store: this.ground.store, fault: this.storeFault,
      observe: (by, call, rows) => {
        this.oracle.observe(by, call, rows);
      },
      refused: (call, error) => {
        this.oracle.unstorable(call, error);
      },
    });
    // The clocks of the machines differ, once in a while by more than a lease lasts.
    const skew = SKEWS[this.tape.fault(0.2, SKEWS.length - 1)]!;
    const reception = sri.receptionFor(owner);
    const authorization = sri.authorizationFor(owner);
    return {
      transaction,
      queue: bug.queue?.(redis.clientFor(owner), this.bugMemory) ?? redis.clientFor(owner),
      clock: { now: () => new Date(scheduler.now + skew) },
      ids: { uuid: () => uuidAt(this.ids++) },
      sleeper: { sleep: (milliseconds, signal) => this.sleep(owner, false, milliseconds, signal) },
      idler: { sleep: (milliseconds, signal) => this.sleep(owner, true, milliseconds, signal) },
      reception: bug.reception?.(reception) ?? reception,
      consultation: sri.consultationFor(owner),
      keys: quickKeys((tenantId) => this.damagedKeys.has(tenantId)),
      authorization: bug.authorization?.(authorization, this.ground.store) ?? authorization,
    };
  }

  private sleep(owner: Process, idle: boolean, milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const task: Task = {
        owner, label: `sleep ${milliseconds}`, at: this.scheduler.now + milliseconds, idle,
        fire: () => {
          signal?.removeEventListener('abort', stop);
          resolve();
        },
      };
      const stop = (): void => {
        this.scheduler.cancel(task);
        reject(signal!.reason as Error);
      };
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      signal?.addEventListener('abort', stop, { once: true });
      this.scheduler.add(task);
    });
  }

  private startApi(): void {
    const process: Process = { name: `api${++this.programs}`, alive: true, paused: false };
    this.apis.push({ process, api: (this.bug.startApi ?? startApi)(this.ports(process)) });
  }

  private startWorker(): void {
    const process: Process = { name: `worker${++this.programs}`, alive: true, paused: false };
    this.workers.push(process);
    startWorker(this.ports(process));
  }

  /** Ends a program as kill -9 does; another one starts in its place some time later. */
  private crash(process: Process): void {
    this.oracle.disturbances += 1;
    this.scheduler.kill(process);
    const api = this.apis.findIndex((one) => one.process === process);
    const worker = this.workers.indexOf(process);
    if (api >= 0) this.apis.splice(api, 1);
    if (worker >= 0) this.workers.splice(worker, 1);
    this.redis.forget(process, this.tape.pick(2) === 1);
    this.scheduler.add({
      owner: this.network, label: `${process.name} is started again`, at: this.scheduler.now + [SECOND, 20 * SECOND, 5 * MINUTE][this.tape.pick(3)]!, idle: false,
      fire: () => {
        if (api >= 0) this.startApi();
        else this.startWorker();
      },
    });
  }

  private get processes(): Process[] {
    return [...this.apis.map(({ process }) => process), ...this.workers];
  }

  // --- faults --------------------------------------------------------------

  private readonly storeFault = (call: Call): StoreFault => {
    if (!this.faulty || call.kind === 'run') return 'none';
    const { storeNotExecuted, storeAckLost, storeLate } = this.swarm;
    const rate = storeNotExecuted + storeAckLost + storeLate;
    const weights = [1 - rate, storeNotExecuted, storeAckLost, storeLate];
    const fault = STORE_FAULTS[this.tape.weighted(weights)]!;
    if (fault === 'not_executed' || fault === 'acknowledgement_lost') this.oracle.disturbances += 1;
    return fault;
  };

  private readonly addFault = (): AddFault => (this.faulty ? ADD_FAULTS[this.tape.fault(this.swarm.queueFault, ADD_FAULTS.length - 1)]! : 'none');

  private readonly networkFault = (): NetworkFault =>
    this.faulty ? NETWORK_FAULTS[this.tape.fault(this.swarm.networkFault, NETWORK_FAULTS.length - 1)]! : 'none';

  // --- time ----------------------------------------------------------------

  /** Runs one runnable task, or hands a job to a worker. @returns false when nothing can run now */
  private async step(choose: (n: number) => number): Promise<boolean> {
    const tasks = this.scheduler.runnable();
    const takers = this.redis.ready();
    const choices = tasks.length + takers.length;
    if (choices === 0) return false;
    const choice = choose(choices);
    const task = tasks[choice];
    if (task) await this.scheduler.run(task);
    else {
      const taker = takers[choice - tasks.length]!;
      const place = choose(Math.min(3, this.redis.length));
      await this.scheduler.run({ owner: taker, label: 'job arrives', at: 0, idle: false, fire: () => {
        this.redis.deliver(taker, place);
      } });
    }
    this.oracle.check();
    return true;
  }

  private readonly drawn = (n: number): number => this.tape.pick(n);
  private readonly inOrder = (): number => 0;

  /** The next instant at which anything at all happens. */
  private async nextInstant(): Promise<number> {
    const isLookedFor = this.workers.some(({ paused }) => !paused);
    const due = isLookedFor ? await this.ground.store.nextDue(this.scheduler.now, PATIENCE_MS) : Infinity;
    return Math.min(this.scheduler.nextTimer(), due);
  }

  /** Lets time pass with everything that falls due in it. */
  private async walk(until: number, choose: (n: number) => number, budget: number): Promise<number> {
    let left = budget;
    while (left > 0) {
      while (left > 0 && (await this.step(choose))) left -= 1;
      if (this.scheduler.now >= until) break;
      this.scheduler.now = Math.max(this.scheduler.now + 1, Math.min(until, await this.nextInstant()));
      // One of the relays looks for work again.
      const idlers = this.scheduler.idlers();
      const idler = idlers[choose(idlers.length)];
      if (idler) Object.assign(idler, { idle: false, at: this.scheduler.now });
    }
    this.scheduler.now = Math.max(this.scheduler.now, until);
    return left;
  }

  // --- commands ------------------------------------------------------------

  /** Draws and does one command, then lets the programs run for a while. */
  async command(): Promise<CommandName> {
    const name = COMMANDS[this.tape.weighted(this.swarm.commands)]!;
    if (this.scheduler.trace) this.scheduler.trace.push(`--- ${name}`);
    await World.EFFECTS[name](this);
    this.oracle.check();
    const budget = STEP_BUDGETS[this.tape.pick(STEP_BUDGETS.length)]!;
    await this.walk(this.scheduler.now, this.drawn, budget);
    return name;
  }

  /** What each command does; the order in which it draws is part of every tape. */
  private static readonly EFFECTS: Readonly<Record<CommandName, (world: World) => void | Promise<void>>> = {
    nothing: () => undefined,
    post: (world) => world.postAnew(),
    post_again: (world) => world.postAgain((past) => past),
    post_other_body: (world) => world.postAgain((past) => world.withOtherBody(past)),
    get: (world) => world.get(),
    advance: (world) => world.advance(),
    sri_down: (world) => world.takeSriDown(),
    sri_up: ({ sri: { brain } }) => {
      brain.bringUp('reception');
      brain.bringUp('authorization');
    },
    sri_script: (world) => world.scriptSri(),
    sri_calm: ({ sri }) => sri.calm(),
    redis_flush: ({ redis }) => redis.flush(),
    redis_down: ({ redis }) => void (redis.up = false),
    redis_up: ({ redis }) => void (redis.up = true),
    crash: (world) => {
      const victim = world.aProcess();
      if (victim) world.crash(victim);
    },
    power_loss: (world) => {
      for (const victim of world.processes) world.crash(victim);
    },
    pause: (world) => {
      const victim = world.aProcess();
      if (!victim) return;
      victim.paused = true;
      world.oracle.disturbances += 1;
    },
    resume: ({ processes }) => {
      for (const process of processes) process.paused = false;
    },
    lose_job: ({ redis, tape }) => redis.lose(tape.pick(8)),
    double_job: ({ redis, tape }) => redis.double(tape.pick(8)),
    spoil_job: ({ redis, tape }) => redis.spoil(tape.pick(2) === 0 ? {} : { tenantId: uuidAt(100), documentId: uuidAt(7) }),
    expire_certificate: (world) => world.expireCertificate(),
    damage_key: ({ damagedKeys, ground, tape }) => void damagedKeys.add(ground.places[tape.pick(2)]!.tenantId),
    retry: (world) => world.act('retry'),
    reconcile: (world) => world.act('reconcile'),
    abandon: (world) => world.act('abandon'),
    cancel: (world) => world.act('cancel'),
    withdraw: (world) => world.act('withdraw'),
    correct: (world) => world.act('correct'),
    portal: (world) => world.decideInPortal(),
    resume_pauses: async ({ ground, scheduler }) => {
      await ground.store.resumePauses(scheduler.now);
    },
    upload_certificate: async (world) => {
      await world.upload(world.tape.pick(2));
    },
  };

  private postAnew(): void {
    const { tape } = this;
    const tenant = tape.pick(2);
    const place = this.ground.places[tenant]!;
    const day = new Date(this.scheduler.now - 5 * HOUR + (tape.fault(0.05) ? 24 * HOUR : 0)).toISOString().slice(0, 10);
    const body = requestBody(place, tape.pick(2), tape.pick(VARIANT_COUNT), day);
    const key = tape.pick(4) === 3 ? null : `order-${this.requests.length}`;
    this.post({ tenant, key, body });
  }

  /** Under the key of an earlier request, where it had one. */
  private postAgain(again: (past: PastRequest) => PastRequest): void {
    const past = this.requests[this.tape.pick(this.requests.length)];
    if (past && past.key !== null) this.post(again(past));
  }

  private withOtherBody(past: PastRequest): PastRequest {
    const place = this.ground.places[past.tenant]!;
    return { ...past, body: requestBody(place, this.tape.pick(2), this.tape.pick(VARIANT_COUNT), past.body.dto.issue_date) };
  }

  private get(): void {
    const document = this.aDocument();
    const api = this.anApi();
    if (!document || !api) return;
    const tenant = this.ground.places[this.tape.pick(2)]!;
    void api.get.execute(new GetDocument(this.contextOf(tenant), document.id)).then(
      (found) => {
        this.oracle.read(tenant.tenantId, document.id, found);
      },
      (error: unknown) => {
        if (error instanceof DomainError && error.code === 'NOT_FOUND') this.oracle.read(tenant.tenantId, document.id, null);
        else if ((error as { code?: string }).code !== 'ECONNRESET') this.oracle.crashed(error);
      },
    );
  }

  /** Either time passes with everything in it, or the whole world sleeps. */
  private async advance(): Promise<void> {
    const span = SPANS[this.tape.pick(SPANS.length)]!;
    if (this.tape.pick(4) === 3) this.scheduler.now += span;
    else await this.walk(this.scheduler.now + span, this.drawn, WALK_STEPS);
  }

  private takeSriDown(): void {
    const kind = (['unavailable', 'unreachable', 'silent'] as const)[this.tape.pick(3)]!;
    const which = this.tape.pick(3);
    if (which !== 1) this.sri.brain.takeDown('reception', kind);
    if (which !== 0) this.sri.brain.takeDown('authorization', kind);
  }

  private scriptSri(): void {
    const { tape } = this;
    const action = SCRIPTS[tape.pick(SCRIPTS.length)]!;
    if (action.kind === 'dated') {
      this.sri.dateDecisions({ date: action.date, times: 1 + tape.pick(3) });
      return;
    }
    this.oracle.scripted(action.kind === 'tampered' && action.what === 'document');
    this.sri.brain.addFaults({ action, times: 1 + tape.pick(3), skip: tape.pick(2) });
  }

  private async expireCertificate(): Promise<void> {
    const tenant = this.tape.pick(2);
    await this.ground.store.expireCertificate(this.ground.places[tenant]!.tenantId, this.scheduler.now);
    this.excuses[tenant]!.add('CERTIFICATE_EXPIRED');
  }

  /** The issuer annuls in the SRI's portal, or the receiver answers there. */
  private decideInPortal(): void {
    const document = this.aDocument();
    if (!document) return;
    const now = new Date(this.scheduler.now);
    const { brain } = this.sri;
    [() => brain.annul(document.accessKey, now), () => brain.receiverAccepts(document.accessKey, now), () => brain.receiverRefuses(document.accessKey, now)][this.tape.pick(3)]!();
  }

  private async upload(tenant: number): Promise<void> {
    const { tenantId } = this.ground.places[tenant]!;
    await this.ground.store.uploadCertificate(tenantId, uuidAt(this.ids++), this.scheduler.now);
    this.damagedKeys.delete(tenantId);
  }

  private anApi(): Api | undefined {
    return this.apis[this.tape.pick(this.apis.length)]?.api;
  }

  private aProcess(): Process | undefined {
    return this.processes[this.tape.pick(this.processes.length)];
  }

  private aDocument(): ReturnType<Oracle['document']> {
    return this.oracle.document(this.tape.pick(this.oracle.size));
  }

  /** Somebody acts on a document, whatever its state. */
  private act(name: 'retry' | 'reconcile' | 'abandon' | 'cancel' | 'withdraw' | 'correct'): void {
    const document = name === 'correct' ? this.oracle.refusedDocument(this.tape.pick(8)) : this.aDocument();
    const api = this.anApi();
    if (!document || !api) return;
    const place = this.ground.places.find(({ tenantId }) => tenantId === document.tenantId)!;
    const tenant = this.contextOf(place);
    const done: Promise<unknown> = {
      retry: () => api.retry.execute(new RetryDocument(tenant, document.id)),
      reconcile: () => api.reconcile.execute(new ReconcileDocument(tenant, document.id)),
      abandon: () => api.abandon.execute(new AbandonDocument(tenant, document.id, 'no longer wanted')),
      cancel: () => api.cancel.execute(new CancelDocument(tenant, document.id, 'wrong buyer')),
      withdraw: () => api.withdraw.execute(new WithdrawCancellation(tenant, document.id)),
      correct: () => api.correct.execute(new CorrectDocument(tenant, document.id, this.correctionOf(place, document))),
    }[name]();
    done.then(
      () => {
        this.oracle.acted();
      },
      (error: unknown) => {
        if (error instanceof DomainError ? !ACTION_REFUSALS.has(error.code) : (error as { code?: string }).code !== 'ECONNRESET') this.oracle.crashed(error);
      },
    );
  }

  /** Another buyer, sometimes of the day before. */
  private correctionOf(place: PlaceRow, { pointId, numericCode, accessKey }: NonNullable<ReturnType<Oracle['document']>>): ReturnType<typeof dtoOf> {
    const day = (at: string): number => Date.parse(`${at.slice(4, 8)}-${at.slice(2, 4)}-${at.slice(0, 2)}`);
    const issueDate = new Date(day(accessKey) - this.tape.pick(2) * 24 * HOUR).toISOString().slice(0, 10);
    return dtoOf(place, pointId, numericCode, issueDate, `${FIRST_BUYER} ${++this.corrections}`);
  }

  private contextOf({ tenantId, apiKeyId }: PlaceRow): TenantContext {
    return { tenantId, principal: { kind: 'api_key', id: apiKeyId }, environment: 'TEST' };
  }

  /** A client sends a request; what comes back is judged whenever it comes. */
  private post(request: PastRequest): void {
    const api = this.anApi();
    if (!api) return;
    this.requests.push(request);
    this.clients += 1;
    const { tenant, key, body } = request;
    const place = this.ground.places[tenant]!;
    const excuses = new Set(this.excuses[tenant]);
    // Tomorrow's date is refused, unless it is tomorrow by the time it is read; today's by an API whose clock is behind.
    if (body.dto.issue_date > new Date(this.scheduler.now - 5 * HOUR + Math.min(...SKEWS)).toISOString().slice(0, 10)) excuses.add('FISCAL_RULE_VIOLATED');
    const answer: Promise<IssuedDocument> = this.bug.issue
      ? this.bug.issue(api, this.contextOf(place), body, key, { text: `${body.identity} ${this.clients % 3}`, seen: this.rawRequests })
      : api.issue.execute(new IssueDocument(this.contextOf(place), body.dto, key));
    void answer.then(
      (issued) => {
        this.oracle.accepted(place.issuerId, key, body.identity, issued.answer);
      },
      (error: unknown) => {
        if (error instanceof DomainError) this.oracle.refused(place.issuerId, key, body.identity, error.code, new Set([...excuses, ...this.excuses[tenant]!]), error.detail);
        else if ((error as { code?: string }).code !== 'ECONNRESET') this.oracle.crashed(error);
      },
    );
  }

  // --- the end -------------------------------------------------------------

  /** Faults off, everything up and valid, and two days of time: all that was promised must now be kept. */
  async rest(): Promise<void> {
    this.faulty = false;
    this.tape.next();
    if (this.scheduler.trace) this.scheduler.trace.push('--- rest');
    this.sri.calm();
    this.redis.up = true;
    await this.ground.store.resumePauses(this.scheduler.now);
    for (const process of this.processes) process.paused = false;
    for (const tenant of this.ground.places.keys()) await this.upload(tenant);
    if (this.apis.length === 0) this.startApi();
    let left = REST_STEPS;
    for (let hour = 0; hour < 48; hour += 6) {
      left = await this.walk(this.scheduler.now + 6 * HOUR, this.inOrder, left);
      // Somebody looks at what the SRI blocked.
      await this.ground.store.resumePauses(this.scheduler.now);
    }
    if (left === 0) throw new Violation('I5', 'two quiet days were not enough: something turns in a circle');
    this.oracle.finish(await this.ground.store.snapshot(), true, (this.scheduler.now - this.start) / HOUR);
  }
}
