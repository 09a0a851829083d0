import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../../src/local/service-process.js';
import { Business, simulatorAccount } from '../support/business.js';
import { samplesOf, valueOf } from '../support/exposition.js';
import { call } from '../support/http.js';
import { type Stack, startStack } from '../support/stack.js';

const DOCUMENTS = 30;

describe('half an outage: the SRI takes documents and tells of no authorization', () => {
  let stack: Stack;
  let business: Business;
  let worker: ServiceProcess;

  beforeAll(async () => {
    stack = await startStack({ workers: 0, env: { METRICS_PORT: '0', SRI_LONGEST_BREAK_SECONDS: '1', SRI_RAMP_SECONDS: '1', AUTHORIZATION_LADDER: '0.2,0.5' } });
    ({ worker } = await stack.startWorker());
    business = await Business.open(stack);
  });
  afterAll(() => stack.stop());

  const service = async (body: unknown): Promise<void> => {
    const { status } = await call(stack.simulatorUrl, 'PUT', '/control/services/authorization', { body });
    if (status !== 200) throw new Error(`the simulator answers ${status}`);
  };
  const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
    for (let tries = 0; tries < 300; tries += 1) {
      if (await holds()) return;
      await sleep(200);
    }
    throw new Error(`${what}: not within a minute\n${stack.logs()}`);
  };
  const gauge = async (name: string, labels: Record<string, string>): Promise<number | null> =>
    valueOf(samplesOf(await (await fetch(`${worker.metricsUrl}/metrics`)).text()), name, labels);
  /** The middle one of eleven readings: a busy machine may be late for a moment, not all the time. */
  const usually = async (name: string, labels: Record<string, string>): Promise<number | undefined> => {
    const readings: number[] = [];
    while (readings.length < 11) {
      readings.push((await gauge(name, labels)) ?? Infinity);
      await sleep(100);
    }
    return readings.sort((one, other) => one - other)[5];
  };
  const sum = async (sql: string): Promise<number> => Number((await stack.database.query<{ sum: string }>(`select coalesce(sum(n), 0) as sum from (${sql}) t (n)`))[0]?.sum);
  const questions = (): Promise<number> => sum(`select 1 from sri_attempts where service = 'authorization'`);
  const announced = (): Promise<number> => sum(`select announcements from outbox where step = 'authorize'`);
  const waiting = (): Promise<number> => sum(`select 1 from documents where status like 'AUTHORIZATION%'`);

  it('goes on sending, asks one question at a time, leaves the rest in peace and calls nobody late for it; then all are asked', async () => {
    await service({ up: false });
    const first = await Promise.all(Array.from({ length: DOCUMENTS }, () => business.accepted()));
    await until('all are sent', async () => (await waiting()) === DOCUMENTS);
    await until('the question is taken for away', async () => (await gauge('sello_sri_breaker_state', { service: 'authorization' })) === 2);
    // Those that were on their way then have been put off, and are due again.
    await until('all wait to be asked', async () => (await sum(`select 1 from outbox where step = 'authorize' and due_at < now() and lease_token is null`)) >= DOCUMENTS - 1);
    const before = { questions: await questions(), announced: await announced() };
    await until('four more probes', async () => (await questions()) >= before.questions + 4);
    const [asked, rung] = [(await questions()) - before.questions, (await announced()) - before.announced];
    // Each going round with each probe it would be thirty for one; a probe that is slow to be picked up is rung for again.
    expect(rung).toBeLessThan(15 * asked);
    // All of them have been due since before the first of these probes.
    expect(await usually('sello_due_work_age_seconds', { kind: 'authorize' })).toBeLessThan(3);
    expect(await usually('sello_outbox_lag_seconds', {})).toBeLessThan(3);
    // What comes now is sent all the same.
    const { document_id } = await business.accepted();
    await until('the new one is sent', async () => (await business.document(document_id)).status.startsWith('AUTHORIZATION'));

    await service({ up: true });
    const all = [...first.map((document) => document.document_id), document_id];
    const settled = await Promise.all(all.map((id) => business.settled(id)));
    expect(settled.map(({ status }) => status)).toEqual(all.map(() => 'AUTHORIZED'));
    const accounts = await Promise.all(first.map(({ access_key }) => simulatorAccount(stack, access_key)));
    expect(accounts.map(({ submissions }) => submissions)).toEqual(first.map(() => 1));
  });
});
