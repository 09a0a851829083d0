import type { Charset } from '../products.dto.js';
import { csvRows, csvText, separatorOf } from './csv-table.js';

const rowsOf = async (text: string, maxRows = 100): Promise<unknown[]> => {
  const rows = [];
  for await (const row of csvRows(text, ',', maxRows)) rows.push(row);
  return rows;
};

it.each([
  ['in the first line', 'a;b\n1,5;2,5,3\n', ';'],
  ['after lines that are empty', '\r\n \n\na;b\n1,5;2\n', ';'],
  ['after rows of empty cells', ';;;\n"";\t\na,b,c;d\n', ','],
  ['behind cells without a name', '\n;;a,b\n', ';'],
  ['where there is none', '\n\n', ','],
])('finds the separator %s', (_name, text, separator) => {
  expect(separatorOf(text)).toBe(separator);
});

describe('the text of a file', () => {
  const NAMES = 'main_code,name\nA,Piñata\nB,Té\n';

  const text = (bytes: Buffer, declared: Charset | null, query?: Charset): string => csvText({ bytes, charset: declared }, query);

  it('is read in the character set that is named, by its type or in the query', () => {
    expect(text(Buffer.from(`\ufeff${NAMES}`), null)).toBe(NAMES);
    expect(text(Buffer.from(NAMES), 'utf-8', 'utf-8')).toBe(NAMES);
    for (const [declared, query] of [[null, 'windows-1252'], ['windows-1252', undefined], ['windows-1252', 'windows-1252']] as const) {
      expect(text(Buffer.from(NAMES, 'latin1'), declared, query)).toBe(NAMES);
      expect(text(Buffer.from('main_code\nA\n'), declared, query)).toBe('main_code\nA\n');
    }
  });

  const refusal = (detail: object): Error => expect.objectContaining({ code: 'MALFORMED_REQUEST', detail: { reason: 'invalid_charset', ...detail, expected: ['utf-8', 'windows-1252'] } }) as Error;

  it.each([
    ['UTF-8 and is said to be windows-1252', Buffer.from(NAMES), 'windows-1252'],
    ['UTF-8 with a byte order mark and is said to be windows-1252', Buffer.from('\ufeffmain_code\nA\n'), 'windows-1252'],
    ['windows-1252 and is said to be UTF-8', Buffer.from(NAMES, 'latin1'), 'utf-8'],
  ] as const)('is refused where it is %s', (_name, bytes, charset) => {
    expect(() => text(bytes, null, charset)).toThrow(refusal({ charset }));
    expect(() => text(bytes, charset)).toThrow(refusal({ charset }));
  });

  it.each([
    ['utf-8', 'windows-1252'],
    ['windows-1252', 'utf-8'],
  ] as const)('is refused where its type says %s and the query %s', (declared, charset) => {
    expect(() => text(Buffer.from('main_code\nA\n'), declared, charset)).toThrow(refusal({ charset, content_type: declared }));
  });
});

describe('the rows of a file', () => {
  it('are read with the lines where they begin', async () => {
    expect(await rowsOf('code,name\na,"two\nlines"\n\n,\nb,Pan\n')).toEqual([
      { line: 1, cells: ['code', 'name'] },
      { line: 2, cells: ['a', 'two\nlines'] },
      { line: 6, cells: ['b', 'Pan'] },
    ]);
  });

  it('are counted as a person counts them, whatever ends a line inside quotes', async () => {
    expect(await rowsOf('code,name\r\n\r\na,"two\r\nlines"\r\nb,Pan\r\n')).toMatchObject([{ line: 1 }, { line: 3 }, { line: 5 }]);
  });

  const filler = Array.from({ length: 50 }, (_, index) => `${index},x\n`).join('');
  it.each([
    ['that is never closed', 'CSV_QUOTE_NOT_CLOSED', 'a,"Pan\nb,Pan\nc,Pan\n'],
    ['that closes inside a cell', 'CSV_INVALID_CLOSING_QUOTE', 'a,"Pan"x\nb,Pan\n'],
  ])('are refused with the line where one begins with a quote %s', async (_name, problem, rows) => {
    await expect(rowsOf(`code,name\n${filler}${rows}`)).rejects.toMatchObject({ detail: { reason: 'invalid_csv', problem, line: 52 } });
  });

  it('are told from endless ones in one walk', async () => {
    const rows = csvRows(`${'x'.repeat(65_000)}\n`.repeat(80), ',', 100);
    expect((await rows.next()).value).toMatchObject({ line: 1 });
    await rows.return(undefined);
  }, 10_000);

  it.each(['\n', '\r\n', '\r'])('are not looked into where one is endless, of separators too (%j)', async (end) => {
    await expect(rowsOf(`code,name${end}a,Pan${end}${','.repeat(65_537)}`)).rejects.toMatchObject({
      code: 'MALFORMED_REQUEST', detail: { reason: 'invalid_csv', problem: 'CSV_MAX_RECORD_SIZE', line: 3 },
    });
    expect(await rowsOf(`code,name${end}${','.repeat(65_536)}${end}b,Pan`)).toHaveLength(2);
  });

  it('have their cells counted over all of their lines', async () => {
    await expect(rowsOf(`code,name\na,Pan\n${`${','.repeat(40_000)}"\n"`.repeat(2)}`)).rejects.toMatchObject({
      detail: { reason: 'invalid_csv', problem: 'CSV_MAX_RECORD_SIZE', line: 3 },
    });
  });

  it('may be empty as often as they may be filled, and no oftener', async () => {
    expect(await rowsOf(`code,name\n${'a,Pan\n'.repeat(100)}${',\n'.repeat(100)}`)).toHaveLength(101);
    for (const rows of ['a,Pan\n'.repeat(101), ',\n'.repeat(201), ' \n'.repeat(201), '""\n'.repeat(201)]) {
      await expect(rowsOf(`code,name\n${rows}`)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE', detail: { max_rows: 100 } });
    }
  });

  it.each(['a,Pan\n', ',\n', ' \n', '\n'])('let other work in between (%j)', async (row) => {
    let [turns, isRead] = [0, false];
    const take = (): void => {
      turns += 1;
      if (!isRead) setImmediate(take);
    };
    setImmediate(take);
    await rowsOf(`code,name\n${row.repeat(20_000)}`, 20_000);
    isRead = true;
    expect(turns).toBeGreaterThan((20_000 * row.length) / 2_048);
  });

  it('keep every character, wherever the text is cut to be parsed', async () => {
    for (const before of ['', 'x', 'xx', 'xxx']) {
      const name = `${before}${'😀ñ'.repeat(10_000)}`;
      expect(await rowsOf(`code,name\na,${name}`)).toEqual([{ line: 1, cells: ['code', 'name'] }, { line: 2, cells: ['a', name] }]);
    }
  });
});
