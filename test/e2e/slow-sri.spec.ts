import { addFaults, Business } from '../support/business.js';
import { samplesOf, valueOf } from '../support/exposition.js';
import { type Stack, startStack } from '../support/stack.js';

/** More than three rounds of the calls that one service gets at once. */
const DOCUMENTS = 30;

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
    expect(await stack.database.query('select service, outcome, count(*)::int from sri_attempts group by service, outcome order by service')).toEqual([
      { service: 'authorization', outcome: 'AUTORIZADO', count: DOCUMENTS },
      { service: 'reception', outcome: 'received', count: DOCUMENTS },
    ]);
    const samples = samplesOf(await (await fetch(`${metricsUrl}/metrics`)).text());
    for (const service of ['reception', 'authorization']) expect([service, valueOf(samples, 'sello_sri_breaker_state', { service })]).toEqual([service, 0]);
  });
});
