import type { CallHandler, ExecutionContext } from '@nestjs/common';
import { firstValueFrom, lastValueFrom, of } from 'rxjs';
import { CallTurns } from './call-turns.js';

describe('turns of calls', () => {
  const turns = (): CallTurns => new CallTurns('things', { atOnce: 1, atOnceOfTenant: 1, waiting: 10, waitingOfTenant: 1 });
  const contextOf = (tenantId: string, response: object = { closed: false, req: { socket: { destroyed: false } } }): ExecutionContext =>
    ({ switchToHttp: () => ({ getRequest: () => ({ tenant: { tenantId } }), getResponse: () => response }) }) as never;
  const handler = (done: string[], name: string): CallHandler => ({
    handle: () => {
      done.push(name);
      return of(name);
    },
  });

  it('go on when the work before is done, and refuse whom there is no room for to wait', async () => {
    const [held, done]: [CallTurns, string[]] = [turns(), []];
    const first = await held.hold(contextOf('a'), handler(done, 'first'));
    const second = held.hold(contextOf('a'), handler(done, 'second'));
    await expect(held.hold(contextOf('a'), handler(done, 'third'))).rejects.toMatchObject({ code: 'RATE_LIMITED', detail: { limit: 2, limits: 'things', retry_after_seconds: 2 } });
    expect(done).toEqual(['first']);
    expect(await firstValueFrom(first)).toBe('first');
    expect(await firstValueFrom(await second)).toBe('second');
  });

  it.each([
    ['was closed', { closed: true, req: { socket: { destroyed: false } } }],
    ['waits for others on a connection that is gone', { closed: false, req: { socket: { destroyed: true } } }],
  ])('are passed on by a call whose answer %s: nothing is done for it', async (_how, response) => {
    const [held, done]: [CallTurns, string[]] = [turns(), []];
    expect(await lastValueFrom(await held.hold(contextOf('a', response), handler(done, 'left')))).toBeUndefined();
    expect(await firstValueFrom(await held.hold(contextOf('a'), handler(done, 'next')))).toBe('next');
    expect(done).toEqual(['next']);
  });
});
