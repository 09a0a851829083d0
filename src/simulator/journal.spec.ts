import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeInvoice } from '../../test/support/simulator/invoice.js';
import { AFTERNOON, ManualClock } from '../../test/support/simulator/sri.js';
import { SriBrain } from './brain/brain.js';
import { defaultSettings } from './brain/settings.js';
import { Journal } from './journal.js';
import { VirtualClock } from './virtual-clock.js';

const MINUTE = 60_000;
const bytesOf = (accessKey: string, magic: string | null = null): Buffer => {
  const field = magic === null ? '' : `<campoAdicional nombre="Simulador">${magic}</campoAdicional>`;
  return Buffer.from(`<d><claveAcceso>${accessKey}</claveAcceso>${field}ñ\u2028</d>`);
};
const key = (sequential: number): string => makeInvoice({ sequential }).accessKey;

describe('the journal of the simulator', () => {
  let folder: string;
  let path: string;
  let host: ManualClock;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'journal-'));
    path = join(folder, 'simulator.jsonl');
    host = new ManualClock(AFTERNOON);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** A start of the simulator on the file; the one before is gone without a word. */
  function start(): { readonly brain: SriBrain; readonly clock: VirtualClock } {
    const journal = new Journal(path);
    const clock = new VirtualClock(host);
    const settings = { ...defaultSettings(() => null), scrutiny: 'key' as const, processingMs: { min: 0, max: 0 } };
    const brain = new SriBrain(clock, settings, (change) => journal.append(change));
    journal.replay(clock.now(), (change) => brain.apply(change));
    return { brain, clock };
  }

  it('brings back what was received, decided, annulled and asked for', () => {
    const first = start();
    first.brain.submit(bytesOf(key(1)));
    first.brain.authority.annul(key(1));
    first.brain.submit(bytesOf(key(2), 'in-process:90, emptyx2'));
    first.brain.submit(bytesOf(key(3), '52'));
    first.brain.submit(bytesOf(key(3)));
    first.brain.authorize(key(2));
    first.brain.noteUnreadable('reception');

    const second = start();
    expect(second.brain.snapshot()).toEqual({ ...first.brain.snapshot(), settings: second.brain.snapshot().settings });
    expect(second.brain.authority.holding(key(1))).toMatchObject({ state: 'authorized', annulment: 'annulled' });
    expect(second.brain.consult(key(1)).outcome).toMatchObject({ estado: 'ANULADO' });
    expect(second.brain.submit(bytesOf(key(1))).outcome).toMatchObject({ estado: 'DEVUELTA', messages: [{ identifier: '43' }] });
    expect(second.brain.authority.holding(key(3)).history).toMatchObject([{ authorized: false }, { authorized: true }]);

    // The second of two empty answers, then the decision in its time.
    expect(second.brain.authorize(key(2)).outcome).toMatchObject({ entries: [] });
    expect(second.brain.authorize(key(2)).outcome).toMatchObject({ entries: [{ estado: 'EN PROCESO' }] });
    host.advance(2 * MINUTE);
    const third = start();
    expect(third.brain.authorize(key(2)).outcome).toMatchObject({ entries: [{ estado: 'AUTORIZADO', document: bytesOf(key(2), 'in-process:90, emptyx2').toString() }] });
    expect(third.brain.ledger.length).toBe(11);
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  it('drops a last line that was cut short, and goes on behind the whole ones', () => {
    start().brain.submit(bytesOf(key(1)));
    const whole = readFileSync(path, 'utf8');
    appendFileSync(path, '{"kind":"document","accessKey":"12');
    start().brain.submit(bytesOf(key(2)));
    expect(readFileSync(path, 'utf8').startsWith(`${whole}{"kind":"document"`)).toBe(true);
    const { brain } = start();
    expect([1, 2].map((number) => brain.authority.holding(key(number)).state)).toEqual(['authorized', 'authorized']);
  });

  it('names the line that it cannot read', () => {
    start().brain.submit(bytesOf(key(1)));
    appendFileSync(path, 'garbage\n');
    expect(start).toThrow(`${path}, line 3, cannot be read. Remove the file and the simulator begins anew`);
  });

  it('begins in the present after a clock that was set forward, and keeps what was decided by then', () => {
    const first = start();
    first.clock.advance(60 * MINUTE);
    first.brain.submit(bytesOf(key(1)));
    first.brain.submit(bytesOf(key(2), 'in-process:90'));
    first.brain.authority.annul(key(1));

    const second = start();
    expect(second.clock.offsetMs).toBe(0);
    expect(second.brain.authority.holding(key(1))).toMatchObject({ state: 'authorized', annulment: 'annulled' });
    expect(second.brain.authorize(key(2)).outcome).toMatchObject({ entries: [{ estado: 'EN PROCESO' }] });
    host.advance(2 * MINUTE);
    expect(second.brain.authorize(key(2)).outcome).toMatchObject({ entries: [{ estado: 'AUTORIZADO' }] });
  });
});
