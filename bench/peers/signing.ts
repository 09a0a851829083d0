import { median, printTable, type Figure } from '../table.js';
import { containerOf } from './containers.js';
import { invoicesOf } from './invoices.js';
import type { Peer } from './peer.js';
import { Signer } from './signer.js';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7);
const SLICE_MS = Number(process.env['BENCH_SLICE_MS'] ?? 300);
const TWO_PROCESSES_MS = 1_500;

export interface SigningRate {
  readonly peer: Peer;
  readonly lines: number;
  /** Per second of CPU, one process, and what RSA alone does in the same process. */
  readonly perSecond: number;
  readonly rsa: number;
  readonly share: number;
  readonly p50: number;
  /** By the clock on the wall, both cores. */
  readonly twoProcesses: number;
}

/** How fast each signs invoices of so many lines: the same XML, the same file, a process of its own each, one after the other. */
export async function signingRates(peers: readonly Peer[], lines: number): Promise<readonly SigningRate[]> {
  const container = containerOf();
  const { xml } = invoicesOf(lines)(1);
  const rates: SigningRate[] = [];
  for (const peer of peers) {
    const both = await Signer.open(peer, container, 2);
    try {
      const one = both[0]!;
      await one.rate(xml, SLICE_MS, 'cpu');
      const rounds: { perSecond: number; rsa: number; p50: number }[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = await one.rsa(SLICE_MS / 3, 'cpu');
        const rate = await one.rate(xml, SLICE_MS, 'cpu');
        rounds.push({ ...rate, rsa: (before + (await one.rsa(SLICE_MS / 3, 'cpu'))) / 2 });
      }
      const together = await Promise.all(both.map((signer) => signer.rate(xml, TWO_PROCESSES_MS, 'wall')));
      rates.push({
        peer,
        lines,
        perSecond: median(rounds.map(({ perSecond }) => perSecond)),
        rsa: median(rounds.map(({ rsa }) => rsa)),
        share: median(rounds.map(({ perSecond, rsa }) => perSecond / rsa)),
        p50: median(rounds.map(({ p50 }) => p50)),
        twoProcesses: together.reduce((sum, { perSecond }) => sum + perSecond, 0),
      });
    } finally {
      for (const signer of both) signer.stop();
    }
  }
  return rates;
}

/** One table for people; figures are printed by the caller. */
export function printRates(lines: number, rates: readonly SigningRate[]): void {
  const ours = rates.find(({ peer }) => peer.kind === 'ours')!;
  printTable(
    `Signing an invoice of ${lines} lines, RSA-2048; one process, per second of CPU`,
    ['signer', 'signed/s', 'of RSA', 'Sello is', 'p50 ms', 'two processes/s'],
    rates.map(({ peer, perSecond, share, p50, twoProcesses }) => [
      peer.name,
      rounded(perSecond),
      `${(share * 100).toFixed(share < 0.1 ? 2 : 0)} %`,
      peer.kind === 'ours' ? '' : `${rounded(ours.share / share)} x`,
      p50.toFixed(p50 < 10 ? 2 : 0),
      rounded(twoProcesses),
    ]),
  );
}

export function figuresOfRates(rates: readonly SigningRate[]): Figure[] {
  return rates.map(({ peer, lines, perSecond, rsa, share }) => ({
    bench: 'peers',
    name: `${peer.name}, ${lines} lines`,
    value: perSecond,
    unit: 'signed/s',
    baseline: { name: 'raw RSA', value: rsa },
    ratio: share,
  }));
}

const rounded = (value: number): string => (value >= 100 ? Math.round(value).toString() : value.toPrecision(2));
