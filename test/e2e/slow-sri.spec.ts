import { setTimeout as sleep } from 'node:timers/promises';
import { addFaults, Business, clearFaults } from '../support/business.js';
import { samplesOf, valueOf } from '../support/exposition.js';
import { type Stack, startStack } from '../support/stack.js';

/** Calls that one service gets at once. */
const PLACES = 8;
/** More than three rounds of the calls that one service gets at once. */
const DOCUMENTS = 30;
/** Ten a second for as long as a service that takes four seconds needs to call twice as many as it has places. */
const OTHERS = 80;

describe('a service of the SRI that is slow', () => {
  let stack: Stack;
  let business: Business;
  let metricsUrl: string;

  beforeAll(async () => {
    stack = await startStack({ workers: 0, env: { METRICS_PORT: '0', WORKER_CONCURRENCY: '24', SRI_TIMEOUT_SECONDS: '16', AUTHORIZATION_LADDER: '0.2,0.5' } });
    const { worker } = await stack.startWorker();
    metricsUrl = worker.metricsUrl!;
    business = await Business.open(stack);
  });
  afterAll(() => stack.stop());

  it('has its whole time for each answer, however many wait for theirs', async () => {
    // Three calls one after the other would take longer than one may.
    await addFaults(stack, { match: { service: 'authorization' }, times: null, action: { kind: 'delay', ms: 6_000 } });
    const documents = await Promise.all(Array.from({ length: DOCUMENTS }, () => business.accepted()));
    for (const { document_id } of documents) expect((await business.settled(document_id, 120)).status).toBe('AUTHORIZED');
    // An answer that comes before the SRI has decided is an answer, too.
    expect(await stack.database.query(`select service, outcome, count(*)::int from sri_attempts
      where outcome <> 'EN PROCESO' group by service, outcome order by service`)).toEqual([
      { service: 'authorization', outcome: 'AUTORIZADO', count: DOCUMENTS },
      { service: 'reception', outcome: 'received', count: DOCUMENTS },
    ]);
    const samples = samplesOf(await (await fetch(`${metricsUrl}/metrics`)).text());
    for (const service of ['reception', 'authorization']) expect([service, valueOf(samples, 'sello_sri_breaker_state', { service })]).toEqual([service, 0]);
  });

  it('gets what had to be put off also while others come all the time', async () => {
    await clearFaults(stack);
    await addFaults(stack, { match: { service: 'reception' }, times: null, action: { kind: 'delay', ms: 4_000 } });
    // Each of a point of its own: those of one point go in the order of their numbers anyway.
    const points = await Promise.all(Array.from({ length: 3 * PLACES + OTHERS }, (_, index) => business.emissionPoint(String(100 + index))));
    const issued = async (emission_point_id: string): Promise<string> => (await business.accepted({ emission_point_id })).document_id;
    // Calls that end one after the other.
    const first: string[] = [];
    for (const point of points.slice(0, PLACES)) {
      first.push(await issued(point));
      await sleep(4_000 / PLACES);
    }
    const early = await Promise.all(points.slice(PLACES, 3 * PLACES).map(issued));
    const late: Promise<string>[] = [];
    for (const point of points.slice(3 * PLACES)) {
      await sleep(100);
      late.push(issued(point));
    }
    const called = await firstCalled(3 * PLACES);
    expect(called.slice(0, PLACES)).toEqual(first);
    // While the others came: one of sixteen without an order, most of them with one, fewer where the machine is busy.
    expect(called.slice(PLACES).filter((id) => early.includes(id)).length).toBeGreaterThanOrEqual(PLACES / 2);
    await clearFaults(stack);
    for (const id of [...first, ...early, ...(await Promise.all(late))]) expect((await business.settled(id, 120)).status).toBe('AUTHORIZED');
  });

  /** The documents of this test whose sending the SRI has answered, by when it began. */
  async function firstCalled(count: number): Promise<string[]> {
    for (;;) {
      const rows = await stack.database.query<{ document_id: string }>(
        `select a.document_id from sri_attempts a join documents d on d.id = a.document_id
         where a.service = 'reception' and d.emission_point_id <> $1 order by a.started_at limit $2`, [business.emissionPointId, count]);
      if (rows.length === count) return rows.map(({ document_id: id }) => id);
      await sleep(100);
    }
  }
});
