import { buffer } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { csvAnswer, type CsvCell, inert, original } from './csv.js';

async function* batchesOf(...batches: CsvCell[][][]): AsyncGenerator<CsvCell[][]> {
  yield* batches;
}

const written = async (batches: AsyncIterable<CsvCell[][]>, separator: ',' | ';' = ','): Promise<string> =>
  (await buffer((await csvAnswer({ fileName: 'x.csv', header: ['code', 'name'], separator }, batches)).getStream())).toString();

describe('a CSV answer', () => {
  it('is RFC 4180 in UTF-8 with a byte order mark', async () => {
    expect(await written(batchesOf([['A', 'Café "ñ"'], ['B', 'x,y']], [['C', 'two\nlines'], ['D', null]]))).toBe(
      '\ufeffcode,name\r\nA,"Café ""ñ"""\r\nB,"x,y"\r\nC,"two\nlines"\r\nD,\r\n',
    );
  });

  it('takes a semicolon, and writes values in one form each', async () => {
    expect(await written(batchesOf([['a;b', true], ['c,d', -5], ['', new Date(0)]]), ';')).toBe(
      '\ufeffcode;name\r\n"a;b";true\r\nc,d;-5\r\n;1970-01-01T00:00:00.000Z\r\n',
    );
  });

  it('leaves nothing to compute where a spreadsheet splits at another separator, and undoes it', () => {
    for (const text of ['ACME;=HYPERLINK("x")', 'a,+1;-2', ";'=1", '=1', "'=1", ",\t@x", 'a;b', "a;'b", '1,2']) {
      expect(inert(text)).not.toMatch(/(^|[;,\t])[=+\-@]/);
      expect(original(inert(text))).toBe(text);
    }
    expect(inert('ACME;=1')).toBe("ACME;'=1");
  });

  it.each([',', ';', '\t'])('begins no cell with a formula where a spreadsheet splits at %j, whatever a buyer calls himself', async (delimiter) => {
    const piece = fc.constantFrom(';', ',', '\t', '"', "'", '=', '+', '-', '@', ' ', 'a', '1', '\n');
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 10 }).map((all) => all.join('')), async (text) => {
        expect(original(inert(text))).toBe(text);
        const rows = parse(await written(batchesOf([['002', text, 'e']])), { delimiter, bom: true, relax_quotes: true, relax_column_count: true, skip_records_with_error: true });
        for (const cell of rows.flat()) expect(cell).not.toMatch(/^[=+\-@]/);
      }),
      { numRuns: 400 },
    );
  });

  it('has its header also without rows', async () => {
    expect(await written(batchesOf())).toBe('\ufeffcode,name\r\n');
  });

  it('is made as it is read, and no further than somebody reads', async () => {
    let made = 0;
    let ended = false;
    const endless = async function* (): AsyncGenerator<CsvCell[][]> {
      try {
        for (;;) {
          made += 1;
          yield [['x'.repeat(10_000), made]];
        }
      } finally {
        ended = true;
      }
    };
    const stream = (await csvAnswer({ fileName: 'x.csv', header: ['a', 'b'] }, endless())).getStream();
    expect(made).toBe(1);
    await new Promise((resolve) => stream.once('readable', resolve));
    expect(made).toBeLessThan(20);
    stream.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(true);
  });

  it('ends its making also when nobody has begun to read', async () => {
    let ended = false;
    const source = async function* (): AsyncGenerator<CsvCell[][]> {
      try {
        yield [['a', 'b']];
      } finally {
        ended = true;
      }
    };
    (await csvAnswer({ fileName: 'x.csv', header: ['a', 'b'] }, source())).getStream().destroy();
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(true);
  });

  it('is refused when it cannot begin, and broken off when it cannot go on', async () => {
    const failing = async function* (rows: number): AsyncGenerator<CsvCell[][]> {
      for (let row = 0; row < rows; row += 1) yield [['a', row]];
      throw new Error('lost');
    };
    await expect(written(failing(0))).rejects.toThrow('lost');
    const begun = await csvAnswer({ fileName: 'x.csv', header: ['a', 'b'] }, failing(1));
    await expect(buffer(begun.getStream())).rejects.toThrow('lost');
  });
});

describe('a cell that begins like a formula', () => {
  const FORMULAS = ['=1+1', '+1', '-1', '@SUM(A1)', '\r=1', '\n=1', '＝1', "'=1", "''+1", '-'];

  it.each([...FORMULAS.map((formula) => [formula, `'${formula}`] as const), ['\t=1', "'\t'=1"] as const])('%j is made inert, and comes back', async (formula, cell) => {
    expect(inert(formula)).toBe(cell);
    expect(original(inert(formula))).toBe(formula);
    const [, row] = parse(await written(batchesOf([[formula, 'x']])), { bom: true });
    expect(row).toEqual([cell, 'x']);
  });

  it.each(['', "'", "'x", "it's", 'a=b', '1+1', '3-en-1', "O'Brien"])('%j is none', (plain) => {
    expect([inert(plain), original(plain)]).toEqual([plain, plain]);
  });
});
