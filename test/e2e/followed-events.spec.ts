import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, EventSource, fetch } from 'undici';
import { Business } from '../support/business.js';
import { join, signedIn } from '../support/people.js';
import { type Stack, startStack } from '../support/stack.js';
import { TcpProxy } from '../support/tcp-proxy.js';

interface Page {
  readonly show: (event: { readonly id: string }) => void;
  readonly reload: () => void;
  readonly refresh: () => Promise<boolean>;
  readonly ended: () => void;
}
type Follow = (api: string, types: readonly string[], page: Page) => () => void;

/** `docs/examples/follow-events.js` with the EventSource and the fetch of the standards, as a browser runs it. */
describe('a page that follows events as docs/front-ends.md shows it', () => {
  const browser = globalThis as unknown as Record<string, unknown>;
  const before = { EventSource: browser['EventSource'], fetch: browser['fetch'] };
  let stack: Stack;
  let business: Business;
  /** In front of PostgreSQL, and in front of the API. */
  let proxy: TcpProxy;
  let door: TcpProxy;
  let cookie: string;
  let refusals = 0;
  let followEvents: Follow;
  let stop: () => void;
  let isSignedOut = false;
  const shown: string[] = [];
  let endings = 0;
  let reloads = 0;

  const newSession = async (): Promise<boolean> => {
    if (isSignedOut) return false;
    const person = await signedIn(stack);
    await join(stack, person, business.tenantId, 'viewer');
    cookie = `service_access_token=${person.token}`;
    return true;
  };
  const write = async (): Promise<string> => {
    const id = randomUUID();
    await stack.database.query(`insert into sello.events (tenant_id, id, type, created_at, data) values ($1, $2, 'certificate.expiring', now(), '{"certificate": {"id": "x"}}')`, [business.tenantId, id]);
    return id;
  };
  const placeOf = (address: string): { host: string; port: number } => ({ host: new URL(address).hostname, port: Number(new URL(address).port) });
  const until = async (what: string, isSo: () => boolean): Promise<void> => {
    for (let waited = 0; waited < 1_200; waited += 1) {
      if (isSo()) return;
      await sleep(50);
    }
    throw new Error(`never ${what}`);
  };

  beforeAll(async () => {
    stack = await startStack({ workers: 0, simulator: false });
    business = await Business.open(stack, { certificate: null });
    proxy = await TcpProxy.start(placeOf(stack.databaseUrl));
    const api = await stack.startApi({ DATABASE_URL: proxy.inFrontOf(stack.databaseUrl) });
    door = await TcpProxy.start(placeOf(api));
    // A browser sends its cookies by itself.
    const dispatcher = new Agent().compose((dispatch) => (options, handler) => dispatch({ ...options, headers: { ...(options.headers as Record<string, string>), cookie } }, handler));
    browser['EventSource'] = class extends EventSource {
      constructor(url: string) {
        super(url, { node: { dispatcher } });
        this.addEventListener('error', () => {
          if (this.readyState === EventSource.CLOSED) refusals += 1;
        });
      }
    };
    browser['fetch'] = (url: string) => fetch(url, { dispatcher });
    await newSession();
    const file = new URL('../../docs/examples/follow-events.js', import.meta.url).href;
    ({ followEvents } = (await import(file)) as { followEvents: Follow });
    stop = followEvents(`http://127.0.0.1:${door.port}`, ['certificate.expiring'], {
      show: ({ id }) => void shown.push(id),
      reload: () => void (reloads += 1),
      refresh: newSession,
      ended: () => void (endings += 1),
    });
  });
  afterAll(async () => {
    stop();
    Object.assign(browser, before);
    await door.stop();
    await proxy.stop();
    await stack.stop();
  });

  it('reads what there is, and shows what happens from then on', async () => {
    await until('opened', () => reloads === 1);
    const event = await write();
    await until('shown', () => shown.length === 1);
    expect(shown).toEqual([event]);
  });

  it('goes on behind the last event when the stream was refused while the database was away', async () => {
    await proxy.down();
    await until('refused', () => refusals > 0);
    const event = await write();
    await proxy.up();
    await until('shown', () => shown.length === 2);
    expect(shown[1]).toBe(event);
    expect(reloads).toBe(1);
  });

  it('goes on with a new session when the former one has ended', async () => {
    const [former, refused] = [cookie, refusals];
    await stack.database.query('update sessions set ended_at = now()');
    await until('refused', () => refusals > refused);
    const event = await write();
    await until('shown', () => shown.length === 3);
    expect(shown[2]).toBe(event);
    expect(cookie).not.toBe(former);
  });

  it('reads everything anew when the service went on from a backup', async () => {
    await stack.database.query(`select begin_new_life('0badcafe', '{}', 0, 'restored', now())`);
    // Processes end with the life in which they were started.
    door.leadTo(placeOf(await stack.startApi()));
    door.resetAll();
    await until('read anew', () => reloads === 2);
    const event = await write();
    await until('shown', () => shown.length === 4);
    expect(shown[3]).toBe(event);
  });

  it('ends when the person must sign in', async () => {
    isSignedOut = true;
    await stack.database.query('update sessions set ended_at = now()');
    await until('ended', () => endings === 1);
  });

  it('opens nothing any more once it was ended, though it was asking why it was refused', async () => {
    const { EventSource: opened, fetch: asked } = browser;
    let [streams, refreshes, isAsking, answer] = [0, 0, false, (_status: { status: number }): void => undefined];
    browser['EventSource'] = class {
      static readonly CLOSED = 2;
      readonly readyState = 2;
      constructor() {
        streams += 1;
      }
      addEventListener(type: string, listener: () => void): void {
        if (type === 'error') queueMicrotask(listener);
      }
      close(): void {}
    };
    browser['fetch'] = () => {
      isAsking = true;
      return new Promise((resolve) => (answer = resolve));
    };
    const nothing = (): void => undefined;
    const end = followEvents('http://127.0.0.1:9', [], { show: nothing, reload: nothing, ended: nothing, refresh: () => Promise.resolve((refreshes += 1) > 0) });
    await until('asked', () => isAsking);
    end();
    answer({ status: 401 });
    await sleep(50);
    Object.assign(browser, { EventSource: opened, fetch: asked });
    expect([streams, refreshes]).toEqual([1, 0]);
  });
});
