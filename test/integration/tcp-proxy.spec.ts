import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { TcpProxy } from '../support/tcp-proxy.js';

/** Resolves with what happened first: the data that came, or how the connection ended. */
function heard(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('data', (data) => resolve(data.toString()));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    socket.once('close', () => resolve('closed'));
  });
}

/** Everything until the connection ends, and how it ended. */
async function untilEnd(socket: Socket): Promise<{ text: string; portions: number; how: string }> {
  const portions: Buffer[] = [];
  let how = 'closed';
  socket.on('data', (data: Buffer) => portions.push(data));
  socket.on('error', (error: NodeJS.ErrnoException) => (how = error.code ?? 'error'));
  await new Promise((resolve) => socket.once('close', resolve));
  return { text: Buffer.concat(portions).toString(), portions: portions.length, how };
}

describe('the TCP proxy', () => {
  let echo: Server;
  let proxy: TcpProxy;
  const open: Socket[] = [];

  const client = async (): Promise<Socket> => {
    const socket = connect(proxy.port, '127.0.0.1');
    open.push(socket);
    await once(socket, 'connect');
    return socket;
  };

  beforeEach(async () => {
    echo = createServer({ allowHalfOpen: true }, (socket) => {
      open.push(socket);
      socket.on('error', () => undefined);
      socket.pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    proxy = await TcpProxy.start({ host: '127.0.0.1', port: (echo.address() as AddressInfo).port });
  });
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy();
    await proxy.stop();
    echo.close();
  });

  it('passes everything through, both ways and to the end', async () => {
    const socket = await client();
    const text = 'ñandú '.repeat(100_000);
    const all = untilEnd(socket);
    socket.end(text);
    expect(await all).toMatchObject({ text, how: 'closed' });
    while (proxy.connections > 0) await sleep(20);
  });

  it('timeout: holds everything while it lasts and loses nothing', async () => {
    const socket = await client();
    const remove = proxy.add({ kind: 'timeout' });
    socket.write('held');
    const answer = heard(socket);
    expect(await Promise.race([answer, sleep(200, 'silence')])).toBe('silence');
    remove();
    expect(await answer).toBe('held');
  });

  it('timeout with a limit: closes afterwards', async () => {
    const socket = await client();
    proxy.add({ kind: 'timeout', milliseconds: 50 });
    socket.write('lost');
    expect(await heard(socket)).toBe('closed');
  });

  it('reset_peer: resets after so many bytes', async () => {
    const socket = await client();
    proxy.add({ kind: 'reset_peer', afterBytes: 4 }, 'downstream');
    socket.write('1234567');
    expect(await untilEnd(socket)).toMatchObject({ how: 'ECONNRESET' });
  });

  it('reset_peer upstream: the server never sees the rest', async () => {
    const seen: Buffer[] = [];
    echo.removeAllListeners('connection');
    const ended = new Promise<void>((resolve) => {
      echo.on('connection', (socket: Socket) => {
        open.push(socket);
        socket.on('error', () => undefined);
        socket.on('data', (data: Buffer) => seen.push(data));
        socket.once('end', resolve);
      });
    });
    const socket = await client();
    proxy.add({ kind: 'limit_data', bytes: 4 }, 'upstream');
    socket.write('1234567');
    expect(await heard(socket)).toBe('closed');
    await ended;
    expect(Buffer.concat(seen).toString()).toBe('1234');
  });

  it('limit_data: closes without an error after so many bytes', async () => {
    const socket = await client();
    proxy.add({ kind: 'limit_data', bytes: 4 }, 'downstream');
    socket.write('1234567');
    expect(await untilEnd(socket)).toMatchObject({ text: '1234', how: 'closed' });
  });

  it('slicer: portions', async () => {
    const socket = await client();
    proxy.add({ kind: 'slicer', bytes: 2, milliseconds: 10 }, 'downstream');
    const all = untilEnd(socket);
    socket.end('12345678');
    const { text, portions } = await all;
    expect(text).toBe('12345678');
    expect(portions).toBeGreaterThan(1);
  });

  it.each([
    { kind: 'latency', milliseconds: 60 },
    { kind: 'bandwidth', bytesPerSecond: 50 },
  ] as const)('$kind: late, but whole', async (toxic) => {
    const socket = await client();
    proxy.add(toxic, 'upstream');
    socket.write('late');
    expect(await Promise.race([heard(socket), sleep(20, 'silence')])).toBe('silence');
    expect(await heard(socket)).toBe('late');
  });

  it('slow_close: the end comes late', async () => {
    const socket = await client();
    proxy.add({ kind: 'slow_close', milliseconds: 100 }, 'downstream');
    const all = untilEnd(socket);
    socket.end('bye');
    expect(await Promise.race([all, sleep(30, 'open')])).toBe('open');
    expect((await all).text).toBe('bye');
  });

  it('down: refuses, and cuts what is open; up: works again on the same port', async () => {
    const socket = await client();
    socket.write('x');
    await heard(socket);
    const ending = heard(socket);
    const { port } = proxy;
    await proxy.down();
    expect(await ending).toBe('ECONNRESET');
    await expect(client()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await proxy.up();
    expect(proxy.port).toBe(port);
    const again = await client();
    again.write('back');
    expect(await heard(again)).toBe('back');
  });

  it('forget: old connections stay silent for ever, new ones work', async () => {
    const old = await client();
    old.write('x');
    await heard(old);
    proxy.forget();
    old.write('anyone?');
    const fresh = await client();
    fresh.write('fresh');
    expect(await heard(fresh)).toBe('fresh');
    expect(await Promise.race([heard(old), sleep(100, 'silence')])).toBe('silence');
  });

  it('removes one toxic and leaves the others', async () => {
    const remove = proxy.add({ kind: 'timeout' });
    proxy.add({ kind: 'limit_data', bytes: 2 }, 'downstream');
    remove();
    const socket = await client();
    socket.write('1234');
    expect((await untilEnd(socket)).text).toBe('12');
  });
});
