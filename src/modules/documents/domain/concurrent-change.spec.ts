import { DomainError } from '../../../shared/domain-error.js';
import { ConcurrentChangeError, retryOnConcurrentChange } from './concurrent-change.js';

/** An action that meets a concurrent change so many times before it answers. */
function disturbed(times: number, last: () => string = () => 'done'): { action: () => Promise<string>; tries: () => number } {
  let tries = 0;
  const action = (): Promise<string> => {
    tries += 1;
    return tries > times ? Promise.resolve().then(last) : Promise.reject(new ConcurrentChangeError());
  };
  return { action, tries: () => tries };
}

describe('an action that meets a concurrent change', () => {
  it.each([0, 1, 9])('is tried again after each of %d changes, and is done', async (times) => {
    const { action, tries } = disturbed(times);
    await expect(retryOnConcurrentChange(action)).resolves.toBe('done');
    expect(tries()).toBe(times + 1);
  });

  it('is refused for what its next try finds', async () => {
    const refusal = new DomainError('INVALID_STATE', { status: 'AUTHORIZED' });
    await expect(retryOnConcurrentChange(disturbed(1, () => { throw refusal; }).action)).rejects.toBe(refusal);
  });

  it('gives up after ten tries, and answers that the document moves', async () => {
    const { action, tries } = disturbed(99);
    await expect(retryOnConcurrentChange(action)).rejects.toMatchObject({ code: 'INVALID_STATE', detail: { reason: 'IT_MOVES', allowed_actions: ['repeat'] } });
    expect(tries()).toBe(10);
  });

  it('gives up after as many tries as it is given, with the refusal of the last change', async () => {
    const refusal = new DomainError('INVALID_STATE', { status: 'REJECTED' });
    let tries = 0;
    await expect(retryOnConcurrentChange(() => { tries += 1; return Promise.reject(new ConcurrentChangeError(refusal)); }, 3)).rejects.toBe(refusal);
    expect(tries).toBe(3);
  });

  it('is not tried again after any other failure', async () => {
    const fault = new Error('connection lost');
    let tries = 0;
    await expect(retryOnConcurrentChange(() => { tries += 1; return Promise.reject(fault); })).rejects.toBe(fault);
    expect(tries).toBe(1);
  });
});
