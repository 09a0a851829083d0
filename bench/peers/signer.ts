import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Container, Peer } from './peer.js';
import type { PipelineOrder, PipelineResult } from './pipeline.js';
import type { Order, Rate } from './process.js';

/** The signer could not do it. */
export class SignerFailure extends Error {}

/** A peer in a process of its own. */
export class Signer {
  private constructor(
    readonly peer: Peer,
    private readonly child: ChildProcess,
  ) {}

  /** In the time zone of Ecuador, which some packages take from their process. */
  static async start(peer: Peer): Promise<Signer> {
    const child = fork(fileURLToPath(new URL('process.js', import.meta.url)), [peer.name], {
      env: { ...process.env, TZ: 'America/Guayaquil' },
      execArgv: [],
      serialization: 'advanced',
    });
    const signer = new Signer(peer, child);
    await signer.answer();
    return signer;
  }

  /** So many of one peer, all with the same file. */
  static async open(peer: Peer, container: Container, count: number): Promise<readonly Signer[]> {
    const signers = await Promise.all(Array.from({ length: count }, () => Signer.start(peer)));
    await Promise.all(signers.map((signer) => signer.open(container)));
    return signers;
  }

  open(container: Container): Promise<null> {
    return this.tell({ kind: 'open', container });
  }

  async sign(xml: string): Promise<Buffer> {
    return Buffer.from(await this.tell<Uint8Array>({ kind: 'sign', xml }));
  }

  rate(xml: string, milliseconds: number, clock: 'cpu' | 'wall'): Promise<Rate> {
    return this.tell({ kind: 'rate', xml, milliseconds, clock });
  }

  rsa(milliseconds: number, clock: 'cpu' | 'wall'): Promise<number> {
    return this.tell({ kind: 'rsa', milliseconds, clock });
  }

  pipeline(order: PipelineOrder): Promise<PipelineResult> {
    return this.tell({ kind: 'pipeline', order });
  }

  stop(): void {
    this.child.kill();
  }

  private async tell<Answer>(order: Order): Promise<Answer> {
    const answered = this.answer<Answer>();
    this.child.send(order);
    return answered;
  }

  /** @throws SignerFailure with what the package said, or when its process ended */
  private async answer<Answer>(): Promise<Answer> {
    const ended = new AbortController();
    const onExit = (): void => ended.abort();
    this.child.once('exit', onExit);
    try {
      const [message] = (await once(this.child, 'message', { signal: ended.signal })) as [{ answer: Answer } | { failure: string }];
      if ('failure' in message) throw new SignerFailure(message.failure);
      return message.answer;
    } catch (error) {
      throw error instanceof SignerFailure ? error : new SignerFailure('its process ended', { cause: error });
    } finally {
      this.child.off('exit', onExit);
    }
  }
}
