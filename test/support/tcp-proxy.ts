import { EventEmitter, once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What may befall a connection; names and meanings as at Toxiproxy. */
export type Toxic =
  /** Every portion arrives later, by up to `jitter` more. */
  | { readonly kind: 'latency'; readonly milliseconds: number; readonly jitter?: number }
  | { readonly kind: 'bandwidth'; readonly bytesPerSecond: number }
  /** A black hole: nothing gets through and the socket stays open; closed after `milliseconds`, or held until the toxic goes. */
  | { readonly kind: 'timeout'; readonly milliseconds?: number }
  /** The connection is reset once `afterBytes` got through; left out: at the first byte. */
  | { readonly kind: 'reset_peer'; readonly afterBytes?: number }
  /** The end of the stream is passed on late. */
  | { readonly kind: 'slow_close'; readonly milliseconds: number }
  /** The connection is closed, without an error, once `bytes` got through. */
  | { readonly kind: 'limit_data'; readonly bytes: number }
  /** Portions of `bytes`, with a pause after each. */
  | { readonly kind: 'slicer'; readonly bytes: number; readonly milliseconds: number };

/** upstream: from the client to the server; downstream: what the server says. */
export type Direction = 'upstream' | 'downstream';

interface Installed {
  readonly toxic: Toxic;
  readonly direction: Direction | 'both';
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Stands between a client and a server and does to their connections what a bad
 * network does. Toxics act on present and future connections until removed.
 */
export class TcpProxy {
  private readonly links = new Set<Link>();
  private readonly installed = new Set<Installed>();
  private readonly changes = new EventEmitter().setMaxListeners(0);
  private server: Server | null = null;
  port = 0;

  private constructor(private upstream: Address) {}

  /** @param port to listen on at 127.0.0.1; 0 picks a free one */
  static async start(upstream: Address, port = 0): Promise<TcpProxy> {
    const proxy = new TcpProxy(upstream);
    proxy.port = port;
    await proxy.up();
    return proxy;
  }

  /** The same address with this proxy in place of the server. */
  inFrontOf(address: string): string {
    const url = new URL(address);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  get connections(): number {
    return this.links.size;
  }

  /** Installs a toxic. @returns removes it again */
  add(toxic: Toxic, direction: Direction | 'both' = 'both'): () => void {
    const entry: Installed = { toxic, direction };
    this.installed.add(entry);
    this.changes.emit('change');
    return () => {
      this.installed.delete(entry);
      this.changes.emit('change');
    };
  }

  /** Removes every toxic; what a black hole held goes on. */
  clear(): void {
    this.installed.clear();
    this.changes.emit('change');
  }

  /** Present connections fall silent for good, as when a router forgets them; new ones work. */
  forget(): void {
    for (const link of this.links) link.silence();
    this.changes.emit('change');
  }

  /** From now on new connections lead to another server; present ones stay where they are. */
  leadTo(upstream: Address): void {
    this.upstream = upstream;
  }

  /** Resets every present connection. */
  resetAll(): void {
    for (const link of [...this.links]) link.destroy(true);
  }

  /** Refuses connections, as a server that is gone. */
  async down(): Promise<void> {
    const { server } = this;
    this.server = null;
    this.resetAll();
    if (server === null) return;
    const closed = once(server, 'close');
    server.close();
    this.resetAll();
    await closed;
  }

  /** Accepts connections again, on the same port. */
  async up(): Promise<void> {
    if (this.server !== null) return;
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      // Accepted in the moment it went down.
      if (this.server !== server) resetNow(client);
      else this.accept(client);
    });
    this.server = server;
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.port = (server.address() as AddressInfo).port;
  }

  /** Ends for good. */
  async stop(): Promise<void> {
    this.clear();
    await this.down();
  }

  private accept(client: Socket): void {
    const link = new Link(client, connect({ ...this.upstream, allowHalfOpen: true, noDelay: true }), {
      toxics: (direction) => [...this.installed].filter((one) => one.direction === 'both' || one.direction === direction).map((one) => one.toxic),
      change: () => once(this.changes, 'change'),
      gone: () => this.links.delete(link),
    });
    this.links.add(link);
  }
}

interface Weather {
  toxics(direction: Direction): readonly Toxic[];
  /** Resolves when toxics come or go. */
  change(): Promise<unknown>;
  gone(): void;
}

/** One connection: two streams that end together. */
class Link {
  private silent = false;

  constructor(
    private readonly client: Socket,
    private readonly server: Socket,
    private readonly weather: Weather,
  ) {
    this.join(client, server, 'upstream');
    this.join(server, client, 'downstream');
  }

  silence(): void {
    this.silent = true;
  }

  destroy(reset: boolean): void {
    for (const socket of [this.client, this.server]) {
      if (reset) resetNow(socket);
      else socket.destroy();
    }
    this.weather.gone();
  }

  private join(from: Socket, to: Socket, direction: Direction): void {
    const passed = new WeakMap<Toxic, number>();
    let ended = false;
    let carried = Promise.resolve();
    from.on('data', (chunk: Buffer) => {
      from.pause();
      carried = this.carry(chunk, to, direction, passed);
      void carried.then(() => from.resume());
    });
    // The end is told at once, also to a paused reader: what is under way goes first.
    from.once('end', () => {
      ended = true;
      void carried.then(() => this.lateClose(direction, to)).then(() => to.end());
    });
    from.once('error', () => this.destroy(true));
    from.once('close', () => {
      // It broke off; after a proper end the last word is still on its way.
      if (!ended) to.destroy();
      if (this.client.destroyed && this.server.destroyed) this.weather.gone();
    });
  }

  private async carry(chunk: Buffer, to: Socket, direction: Direction, passed: WeakMap<Toxic, number>): Promise<void> {
    let portions: Buffer[] = [chunk];
    let pauseAfterPortion = 0;
    let ending: 'reset' | 'close' | null = null;
    if (!(await this.throughBlackHole(direction, to))) return;
    for (const toxic of this.weather.toxics(direction)) {
      const before = passed.get(toxic) ?? 0;
      passed.set(toxic, before + chunk.length);
      switch (toxic.kind) {
        case 'latency':
          await sleep(toxic.milliseconds + Math.random() * (toxic.jitter ?? 0));
          break;
        case 'bandwidth':
          await sleep((chunk.length / toxic.bytesPerSecond) * 1_000);
          break;
        case 'reset_peer':
        case 'limit_data': {
          const limit = toxic.kind === 'limit_data' ? toxic.bytes : (toxic.afterBytes ?? 0);
          if (before + chunk.length < limit) break;
          portions = [chunk.subarray(0, Math.max(0, limit - before))];
          ending = toxic.kind === 'limit_data' ? 'close' : 'reset';
          break;
        }
        case 'slicer':
          portions = portions.flatMap((portion) => sliced(portion, toxic.bytes));
          pauseAfterPortion = toxic.milliseconds;
          break;
        case 'timeout':
        case 'slow_close':
          break;
      }
    }
    for (const portion of portions) {
      if (to.destroyed || portion.length === 0) continue;
      await written(to, portion);
      if (pauseAfterPortion > 0) await sleep(pauseAfterPortion);
    }
    if (ending === null) return;
    // A reset right behind data reads as an ordinary end: the data is read first.
    if (ending === 'reset') await sleep(50);
    this.destroy(ending === 'reset');
  }

  /** Waits while a black hole swallows. @returns false when the connection did not survive it */
  private async throughBlackHole(direction: Direction, to: Socket): Promise<boolean> {
    for (;;) {
      if (to.destroyed) return false;
      const hole = this.weather.toxics(direction).find((toxic) => toxic.kind === 'timeout');
      if (!this.silent && hole === undefined) return true;
      const limit = hole?.milliseconds;
      const over = limit === undefined ? null : sleep(limit, 'over' as const, { ref: false });
      const closed = once(to, 'close').catch(() => undefined);
      const first = await Promise.race([this.weather.change(), closed, ...(over === null ? [] : [over])]);
      if (first === 'over') {
        this.destroy(false);
        return false;
      }
    }
  }

  private async lateClose(direction: Direction, to: Socket): Promise<void> {
    if (!(await this.throughBlackHole(direction, to))) return;
    for (const toxic of this.weather.toxics(direction)) if (toxic.kind === 'slow_close') await sleep(toxic.milliseconds);
  }
}

/**
 * A reset and nothing else: `resetAndDestroy()` says a polite goodbye first, which the other side may see instead. One that has
 * said goodbye already cannot be reset; Node would lose hold of it, and the process would never end.
 */
function resetNow(socket: Socket): void {
  if (!socket.connecting && !socket.destroyed && !socket.writableEnded) (socket as Socket & { resetAndClosing?: boolean }).resetAndClosing = true;
  socket.destroy();
}

function sliced(portion: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(portion.length / size) }, (_, i) => portion.subarray(i * size, (i + 1) * size));
}

/** Resolves when the socket took the bytes or is gone. */
function written(socket: Socket, portion: Buffer): Promise<void> {
  return new Promise((resolve) => socket.write(portion, () => resolve()));
}
