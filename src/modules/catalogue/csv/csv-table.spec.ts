import { csvRows } from './csv-table.js';

const rowsOf = async (text: string): Promise<unknown[]> => {
  const rows = [];
  for await (const row of csvRows(text, ',')) rows.push(row);
  return rows;
};

describe('the rows of a file', () => {
  it('are read with the lines where they begin', async () => {
    expect(await rowsOf('code,name\na,"two\nlines"\n\n,\nb,Pan\n')).toEqual([
      { line: 1, cells: ['code', 'name'] },
      { line: 2, cells: ['a', 'two\nlines'] },
      { line: 6, cells: ['b', 'Pan'] },
    ]);
  });

  it('are told from endless ones in one walk', async () => {
    const rows = csvRows(`${'x'.repeat(65_000)}\n`.repeat(80), ',');
    expect((await rows.next()).value).toMatchObject({ line: 1 });
    await rows.return(undefined);
  }, 10_000);

  it.each(['\n', '\r\n', '\r'])('are not looked into where one is endless, of separators too (%j)', async (end) => {
    await expect(rowsOf(`code,name${end}a,Pan${end}${','.repeat(65_537)}`)).rejects.toMatchObject({
      code: 'MALFORMED_REQUEST', detail: { reason: 'invalid_csv', problem: 'CSV_MAX_RECORD_SIZE', line: 3 },
    });
    expect(await rowsOf(`code,name${end}${','.repeat(65_536)}${end}b,Pan`)).toHaveLength(2);
  });
});
