/** One signer in a process of its own, for packages set globals: signs, and measures itself, when told. */
import { sign as rsaSign, createPrivateKey, type KeyObject } from 'node:crypto';
import { openPkcs12 } from '../../src/sri/signing/pkcs12.js';
import { cpuTime, median, rateOf, wallTime } from '../table.js';
import type { Container, Sign } from './peer.js';
import { peerNamed } from './registry.js';
import { runPipeline, type PipelineOrder } from './pipeline.js';

export type Order =
  | { readonly kind: 'open'; readonly container: Container }
  | { readonly kind: 'sign'; readonly xml: string }
  | { readonly kind: 'rate'; readonly xml: string; readonly milliseconds: number; readonly clock: 'cpu' | 'wall' }
  | { readonly kind: 'rsa'; readonly milliseconds: number; readonly clock: 'cpu' | 'wall' }
  | { readonly kind: 'pipeline'; readonly order: PipelineOrder };

export interface Rate {
  readonly perSecond: number;
  /** Milliseconds on the wall. */
  readonly p50: number;
}

const name = process.argv[2] ?? '';
const peer = peerNamed(name);
let sign: Sign | null = null;
let key: KeyObject | null = null;

async function obey(order: Order): Promise<unknown> {
  if (order.kind === 'open') {
    const container = { pkcs12: Buffer.from(order.container.pkcs12), password: order.container.password };
    sign = await peer.open(container);
    const { privateKeyPkcs8 } = openPkcs12(container.pkcs12, container.password, new Date());
    key = createPrivateKey({ key: privateKeyPkcs8, format: 'der', type: 'pkcs8' });
    return null;
  }
  if (sign === null || key === null) throw new Error('nothing was opened');
  switch (order.kind) {
    case 'sign':
      return Buffer.from(await sign(order.xml));
    case 'rate':
      return rateOfSigning(sign, order.xml, order.milliseconds, order.clock === 'cpu' ? cpuTime : wallTime);
    case 'rsa':
      return rateOfRsa(key, order.milliseconds, order.clock === 'cpu' ? cpuTime : wallTime);
    case 'pipeline':
      return runPipeline(sign, order.order);
  }
}

/** One document after the other. */
async function rateOfSigning(signer: Sign, xml: string, milliseconds: number, clock: () => number): Promise<Rate> {
  const latencies: number[] = [];
  const started = clock();
  let elapsed = 0;
  do {
    const from = performance.now();
    await signer(xml);
    latencies.push(performance.now() - from);
    elapsed = clock() - started;
  } while (elapsed < milliseconds);
  return { perSecond: (latencies.length * 1000) / elapsed, p50: median(latencies) };
}

/** RSA operations alone, over as many bytes as a SignedInfo has. */
function rateOfRsa(privateKey: KeyObject, milliseconds: number, clock: () => number): number {
  const data = Buffer.alloc(1_100, 0x61);
  return rateOf(() => void rsaSign('RSA-SHA1', data, privateKey), milliseconds, clock);
}

process.on('message', (order: Order) => {
  obey(order).then(
    (answer) => process.send?.({ answer }),
    (error: unknown) => process.send?.({ failure: error instanceof Error ? error.message : String(error) }),
  );
});
process.once('disconnect', () => process.exit());
process.send?.({ answer: 'ready' });
