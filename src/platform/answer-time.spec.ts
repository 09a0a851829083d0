import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { TimerSleeper } from './adapters/timer-sleeper.js';
import { answerWithin, LateAnswer } from './answer-time.js';

const sleeper = new TimerSleeper();
const after = async (milliseconds: number): Promise<string> => {
  await sleeper.sleep(milliseconds);
  return 'answer';
};
/** This process stands still, as on a machine that gives it no time. */
const standStill = (milliseconds: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
};

/** Answers every message after so long, in a thread of its own: it goes on while this one stands still. */
const ANSWERER = `
  const { createServer } = require('node:net');
  const { parentPort } = require('node:worker_threads');
  const server = createServer((socket) => socket.on('data', (data) => setTimeout(() => socket.write('x'), Number(data))));
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

describe('answerWithin', () => {
  it('gives the answer that comes in time', async () => {
    expect(await answerWithin(sleeper, 60_000, after(10))).toBe('answer');
  });

  it('gives up once the time is over', async () => {
    await expect(answerWithin(sleeper, 20, new Promise(() => undefined))).rejects.toThrow(new LateAnswer('no answer within 20 ms'));
  });

  it('fails as the answer does', async () => {
    await expect(answerWithin(sleeper, 60_000, Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  });

  it('waits no longer once the answer is there', async () => {
    const waits: AbortSignal[] = [];
    const endless = { sleep: (_milliseconds: number, ends?: AbortSignal) => { waits.push(ends!); return new Promise<void>(() => undefined); } };
    await answerWithin(endless, 100, Promise.resolve('answer'));
    expect(waits.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it.each([0, 60, 160, 215])('reads what came while the process stood still from its %i. millisecond on', async (stillFrom) => {
    const answerer = new Worker(ANSWERER, { eval: true });
    const [port] = await once(answerer, 'message') as [number];
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    // A time that a busy machine keeps to as well: all of it is multiplied.
    const slower = 2;
    socket.write(String(225 * slower));
    const answer = answerWithin(sleeper, 250 * slower, once(socket, 'data').then(() => 'answer'));
    setTimeout(() => { standStill(800 * slower); }, stillFrom * slower);
    expect(await answer).toBe('answer');
    socket.destroy();
    await answerer.terminate();
  });
});
