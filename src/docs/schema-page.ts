/** A table or function as it is, with the comment that its migration gave it: `Subject: what it does.` */
export interface Described {
  readonly name: string;
  readonly comment: string | null;
  readonly sql: string;
}

const WIDTH = 120;
const COMMENT = /^([^:]+): (.*)$/s;

/** A page of SQL by subject, each with the names that stand under it, and within one by name; every comment above what it is about. */
export function schemaPage(title: string, all: readonly Described[]): string {
  const subjects = new Map<string, (Described & { readonly about: string })[]>();
  for (const one of [...all].sort((a, b) => order(a.name, b.name))) {
    const [, subject = 'Others', about = one.comment ?? ''] = COMMENT.exec(one.comment ?? '') ?? [];
    subjects.set(subject, [...(subjects.get(subject) ?? []), { ...one, about }]);
  }
  const sorted = [...subjects].sort(([a], [b]) => order(a, b));
  return [
    commented(`${title} of the schema \`sello\` after the last migration, to read: \`npm run docs\` writes them, and nobody applies them.`),
    '',
    ...sorted.map(([subject, described]) => commented(`${subject}: ${described.map(({ name }) => name).join(', ')}`)),
    ...sorted.flatMap(([subject, described]) => ['', '', `-- ===== ${subject}`, ...described.flatMap(({ about, sql }) => ['', ...(about === '' ? [] : [commented(about)]), sql.trimEnd()])]),
    '',
  ].join('\n');
}

/** By code unit, whatever the locale. */
const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A text as comment lines of no more than WIDTH columns, but for words that are longer. */
function commented(text: string): string {
  const lines: string[] = [];
  let line = '--';
  for (const word of text.split(/\s+/)) {
    if (line !== '--' && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = '--';
    }
    line += ` ${word}`;
  }
  return [...lines, line].join('\n');
}
