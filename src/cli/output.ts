/** What a command prints: lines for a person, or JSON for a program. */
export class Output {
  constructor(
    private readonly json: boolean,
    private readonly write: (text: string) => void,
  ) {}

  /** One thing, in the form that was asked for. */
  tell(value: unknown, lines: readonly string[] | string): void {
    this.write(this.json ? `${JSON.stringify(value)}\n` : `${typeof lines === 'string' ? lines : lines.join('\n')}\n`);
  }

  /** For a person only. */
  remark(line: string): void {
    if (!this.json) this.write(`${line}\n`);
  }
}

/** Columns of equal width. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_cell, index) => Math.max(...rows.map((row) => (row[index] ?? '').length)));
  return rows.map((row) => row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ').trimEnd());
}
