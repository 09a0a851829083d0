import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/platform/embedded/free-port.js';
import { sriUrls } from '../../src/local/parts.js';
import type { ServiceProcess } from '../../src/local/service-process.js';
import { Business } from '../support/business.js';
import { samplesOf, valueOf } from '../support/exposition.js';
import { type Stack, startStack } from '../support/stack.js';

/** All of one emission point: each waits for those before it. */
const DOCUMENTS = 40;

describe('a worker whose node cannot reach the SRI, beside one that can', () => {
  let stack: Stack;
  let business: Business;
  let cutOff: ServiceProcess;

  beforeAll(async () => {
    stack = await startStack({ workers: 0, env: { METRICS_PORT: '0' } });
    await stack.startWorker();
    ({ worker: cutOff } = await stack.startWorker(sriUrls(`http://127.0.0.1:${await freePort()}`)));
    business = await Business.open(stack);
  });
  afterAll(() => stack.stop());

  const breaker = async (): Promise<number | null> =>
    valueOf(samplesOf(await (await fetch(`${cutOff.metricsUrl}/metrics`)).text()), 'sello_sri_breaker_state', { service: 'reception' });

  it('holds up no document for as long as it pauses, though it goes on taking its part of them', async () => {
    const accepted: { readonly document_id: string }[] = [];
    while ((await breaker()) !== 2 || accepted.length < DOCUMENTS) {
      if (accepted.length === 10 * DOCUMENTS) throw new Error(`the breaker is not open\n${stack.logs()}`);
      accepted.push(await business.accepted());
      await sleep(200);
    }
    // Each put off for its pauses, one after the other, they would take ten minutes.
    const settled = await Promise.all(accepted.map(({ document_id }) => business.settled(document_id, 240)));
    expect(settled.map(({ status }) => status)).toEqual(accepted.map(() => 'AUTHORIZED'));
  });
});
