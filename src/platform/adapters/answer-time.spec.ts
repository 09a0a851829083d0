import { jest } from '@jest/globals';
import { answerWithin } from './answer-time.js';

const after = (milliseconds: number): Promise<string> => new Promise((resolve) => void setTimeout(() => { resolve('answer'); }, milliseconds));

describe('answerWithin', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('gives the answer that comes in time, and leaves no timer', async () => {
    const waiting = answerWithin(100, after(99));
    await jest.advanceTimersByTimeAsync(99);
    expect(await waiting).toBe('answer');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('gives up once the time is over', async () => {
    const waiting = answerWithin(100, after(1_000));
    const failure = expect(waiting).rejects.toThrow('no answer within 100 ms');
    await jest.advanceTimersByTimeAsync(99);
    expect(jest.getTimerCount()).toBe(2);
    await jest.advanceTimersByTimeAsync(1);
    await failure;
    expect(jest.getTimerCount()).toBe(1);
  });

  it('fails as the answer does', async () => {
    await expect(answerWithin(100, Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    expect(jest.getTimerCount()).toBe(0);
  });
});
