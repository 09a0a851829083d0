import { DomainError } from '../../../shared/domain-error.js';
import { OvertakenError, untilNotOvertaken } from './overtaken.js';

/** An act that is overtaken so many times before it answers. */
function overtaken(times: number, last: () => string = () => 'done'): { act: () => Promise<string>; tries: () => number } {
  let tries = 0;
  const act = (): Promise<string> => {
    tries += 1;
    return tries > times ? Promise.resolve().then(last) : Promise.reject(new OvertakenError());
  };
  return { act, tries: () => tries };
}

describe('an act that is overtaken', () => {
  it.each([0, 1, 9])('looks again %d times, and is done', async (times) => {
    const { act, tries } = overtaken(times);
    await expect(untilNotOvertaken(act)).resolves.toBe('done');
    expect(tries()).toBe(times + 1);
  });

  it('is refused as it is judged by its next look', async () => {
    const refusal = new DomainError('INVALID_STATE', { status: 'AUTHORIZED' });
    await expect(untilNotOvertaken(overtaken(1, () => { throw refusal; }).act)).rejects.toBe(refusal);
  });

  it('gives up what moves faster than it looks, and says so', async () => {
    const { act, tries } = overtaken(99);
    await expect(untilNotOvertaken(act)).rejects.toMatchObject({ code: 'INVALID_STATE', detail: { reason: 'IT_MOVES', allowed_actions: ['repeat'] } });
    expect(tries()).toBe(10);
  });

  it('gives up earlier when its looks are dear, and refuses as it knows the document', async () => {
    const refusal = new DomainError('INVALID_STATE', { status: 'REJECTED' });
    let tries = 0;
    await expect(untilNotOvertaken(() => { tries += 1; return Promise.reject(new OvertakenError(refusal)); }, 3)).rejects.toBe(refusal);
    expect(tries).toBe(3);
  });

  it('does not repeat what failed otherwise', async () => {
    const fault = new Error('connection lost');
    let tries = 0;
    await expect(untilNotOvertaken(() => { tries += 1; return Promise.reject(fault); })).rejects.toBe(fault);
    expect(tries).toBe(1);
  });
});
