import 'reflect-metadata';
import { TimerSleeper } from '../adapters/timer-sleeper.js';
import { Pkcs12Opener } from './pkcs12-opener.js';

/** The opener's patience with the machine is so long. */
const sleeperFor = (patience: number) => ({ sleep: (ms: number, signal?: AbortSignal): Promise<void> => new TimerSleeper().sleep(ms === 30_000 ? patience : ms, signal) });

/** An opener whose thread runs the given program instead of the reader. A busy machine may need a minute for seconds of processor time. */
const openerOf = (program: string, sleeper = sleeperFor(600_000)): Pkcs12Opener =>
  new Pkcs12Opener(sleeper, new URL(`data:text/javascript,${encodeURIComponent(program)}`));

const open = (opener: Pkcs12Opener, tenantId = 'tenant') => opener.open(tenantId, Buffer.from('x'), 'password', '1790011674001', new Date());

const ANSWER = `
  import { parentPort } from 'node:worker_threads';
  parentPort.once('message', async ({ password }) => {
    parentPort.postMessage({ kind: 'refused', reason: 'malformed', message: password + Object.keys(process.env).length });
  });`;

describe('the isolated opener', () => {
  it('hands back what the thread answers, and gives it no environment', async () => {
    expect(await open(openerOf(ANSWER))).toEqual({ kind: 'refused', reason: 'malformed', message: 'password0' });
  });

  it('ends a thread that computes for ever, while this thread goes on', async () => {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 20);
    expect(await open(openerOf('for (;;);'))).toMatchObject({ kind: 'refused', reason: 'too_costly' });
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(10);
  });

  it('does not blame the file for a machine that has no time', async () => {
    const opener = openerOf('setInterval(() => undefined, 1_000);', sleeperFor(300));
    await expect(open(opener)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', detail: { reason: 'machine_busy' } });
  });

  it('ends a thread that eats memory', async () => {
    expect(await open(openerOf('const all = []; for (;;) all.push(new Array(1000).fill({}));'))).toMatchObject({ reason: 'too_costly' });
  });

  it('does not blame the file for a broken program', async () => {
    await expect(open(openerOf(`throw new Error('broken program')`))).rejects.toThrow('broken program');
  });

  it('lets few threads run and few uploads wait', async () => {
    const opener = openerOf(ANSWER.replace('parentPort.postMessage', 'await new Promise((go) => setTimeout(go, 100)); parentPort.postMessage'));
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, tenant) => open(opener, `tenant ${tenant}`)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(18);
    const ofOne = await Promise.allSettled([...Array.from({ length: 18 }, () => open(opener)), open(opener, 'another')]);
    expect(ofOne.map(({ status }) => status)).toEqual([...Array<string>(7).fill('fulfilled'), ...Array<string>(11).fill('rejected'), 'fulfilled']);
    expect(results.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { code: 'SERVICE_UNAVAILABLE' } },
      { reason: { code: 'SERVICE_UNAVAILABLE' } },
    ]);
    await expect(open(opener)).resolves.toMatchObject({ kind: 'refused' });
  });
});
