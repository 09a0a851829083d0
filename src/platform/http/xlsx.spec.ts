import { jest } from '@jest/globals';
import { buffer } from 'node:stream/consumers';
import { readWorkbook } from '../../../test/support/workbook.js';
import { xlsxAnswer, type XlsxFile, type XlsxRow } from './xlsx.js';

const FILE: XlsxFile = { fileName: 'x.xlsx', sheetName: 'A & B', columns: [{ name: 'name', kind: 'text' }, { name: 'total', kind: 'decimal' }, { name: 'on', kind: 'day' }] };

async function* batchesOf(...batches: XlsxRow[][]): AsyncGenerator<XlsxRow[]> {
  yield* batches;
}

const written = async (batches: AsyncIterable<XlsxRow[]>, change: Partial<XlsxFile> = {}): Promise<{ name: string; rows: Record<string, string>[] }[]> =>
  readWorkbook(await buffer((await xlsxAnswer({ ...FILE, ...change }, batches)).getStream()));
const HEADER = { A: 'name', B: 'total', C: 'on' };

describe('a workbook', () => {
  it('holds texts as they are, and decimals and days as such', async () => {
    const text = '=1+1 "ñ" <b>&amp; 😀 ';
    expect(await written(batchesOf([[text, '999999999999.99', '2026-08-25']], [], [['x', null, null]]))).toEqual([
      { name: 'A & B', rows: [HEADER, { A: text, B: '999999999999.99', C: '46259' }, { A: 'x' }] },
    ]);
  });

  it('leaves out what XML cannot hold, and keeps what looks like an escape', async () => {
    const [sheet] = await written(batchesOf([['a\u0000\u001fb_x000D_', null, null]]));
    expect(sheet?.rows[1]).toEqual({ A: 'ab_x005F_x000D_' });
  });

  it('goes on in a further sheet when one is full', async () => {
    const rows = Array.from({ length: 5 }, (_, index): XlsxRow => [String(index), null, null]);
    expect((await written(batchesOf(rows), { rowsPerSheet: 3 })).map((sheet) => [sheet.name, sheet.rows.map(({ A }) => A)])).toEqual([
      ['A & B', ['name', '0', '1']], ['A & B 2', ['name', '2', '3']], ['A & B 3', ['name', '4']],
    ]);
    expect(await written(batchesOf(rows.slice(0, 2)), { rowsPerSheet: 3 })).toHaveLength(1);
  });

  it('is the same to the byte whenever it is made', async () => {
    const bytes = async (): Promise<Buffer> => buffer((await xlsxAnswer(FILE, batchesOf([['a', '1.00', '2026-08-25']]))).getStream());
    const first = await bytes();
    // Times in a ZIP count by two seconds.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'], now: Date.now() + 60_000 });
    try {
      expect(await bytes()).toEqual(first);
    } finally {
      jest.useRealTimers();
    }
  });

  it('has its header also without rows', async () => {
    expect(await written(batchesOf())).toEqual([{ name: 'A & B', rows: [HEADER] }]);
  });

  it('is made no further than somebody reads, and no longer', async () => {
    let made = 0;
    let end: (() => void) | undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const endless = async function* (): AsyncGenerator<XlsxRow[]> {
      try {
        for (;;) {
          made += 1;
          // Chance does not compress.
          yield [[Array.from({ length: 1_000 }, (_, index) => Math.imul(made * 1_000 + index, 0x9e3779b1).toString(36)).join(''), null, null]];
        }
      } finally {
        end?.();
      }
    };
    const stream = (await xlsxAnswer(FILE, endless())).getStream();
    await new Promise((resolve) => stream.once('readable', resolve));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(made).toBeLessThan(200);
    stream.destroy();
    await ended;
  });

  it('is refused when it cannot begin, and broken off when it cannot go on', async () => {
    const failing = async function* (rows: number): AsyncGenerator<XlsxRow[]> {
      for (let row = 0; row < rows; row += 1) yield [['a', null, null]];
      throw new Error('lost');
    };
    await expect(xlsxAnswer(FILE, failing(0))).rejects.toThrow('lost');
    await expect(buffer((await xlsxAnswer(FILE, failing(1))).getStream())).rejects.toThrow('lost');
  });
});
