import { Response } from 'undici';
import type { Api } from '../api.js';
import { CliFailure } from '../failure.js';
import { Output } from '../output.js';
import { status } from './status.js';

const AWAY = { status: 'failing', checks: { postgresql: 'failing' } };
const OK = { status: 'ok', checks: { postgresql: 'ok' } };

/** A service that says of itself whether it is ready, and answers every other call alike. */
function service(isReady: boolean, answer: () => Promise<unknown>): Api {
  const open = (): Promise<Response> => Promise.resolve(new Response(JSON.stringify(isReady ? OK : AWAY), { status: isReady ? 200 : 503 }));
  return { connection: { url: 'http://service' }, open, get: answer } as unknown as Api;
}

async function told(api: Api, json = false): Promise<{ out: string; failure: unknown }> {
  let out = '';
  const failure: unknown = await status(api, new Output(json, (text) => (out += text)), undefined).catch((error: unknown) => error);
  return { out, failure };
}

const unavailable = (): Promise<never> => Promise.reject(new CliFailure('unanswered', 'SERVICE_UNAVAILABLE: try again'));

describe('how the service stands', () => {
  it('is told where PostgreSQL is away and nothing else can be said', async () => {
    const { out, failure } = await told(service(false, unavailable));
    expect(out).toBe(`http://service  NOT READY  ${JSON.stringify(AWAY)}\ndocuments: unknown\n`);
    expect(failure).toMatchObject({ exit: 'unanswered', message: 'the service is not ready\nSERVICE_UNAVAILABLE: try again' });
    const json = await told(service(false, unavailable), true);
    expect(JSON.parse(json.out)).toEqual({ url: 'http://service', ready: false, checks: AWAY, documents: null, held_up: null });
  });

  it('is told beside what the documents say of a service that is not ready, too', async () => {
    const { out, failure } = await told(service(false, () => Promise.resolve({ total: 0, items: [] })));
    expect(out).toMatch(/NOT READY.*\nREJECTED +0\n/);
    expect(failure).toMatchObject({ exit: 'unanswered', message: 'the service is not ready' });
  });

  it('is told before it ends with the refusal of a key', async () => {
    const refused = new CliFailure('refused', 'UNAUTHENTICATED: no such key');
    const { out, failure } = await told(service(true, () => Promise.reject(refused)));
    expect(out).toBe(`http://service  ready  ${JSON.stringify(OK)}\ndocuments: unknown\n`);
    expect(failure).toBe(refused);
  });

  it('is not told in the place of a mistake of the program', async () => {
    const mistake = new TypeError('mistake');
    expect(await told(service(true, () => Promise.reject(mistake)))).toEqual({ out: '', failure: mistake });
  });
});
