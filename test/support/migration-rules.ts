/** What a migration does that processes of the version before it, which still serve, would not survive; each in words. */
interface Rule {
  readonly breaks: RegExp;
  readonly because: string;
}

/** Steps that take away. They are allowed in a migration that says `-- contract: since when nothing uses it`. */
const CONTRACTING: readonly Rule[] = [
  { breaks: /^drop (table|view|type|function|procedure|aggregate|sequence)\b/, because: 'takes away what the version before may still use' },
  { breaks: /^alter (table|view|function|type) .*\brename\b/, because: 'renames what the version before knows by its name' },
  { breaks: /^alter table .*\bdrop (column|constraint\b.*cascade)/, because: 'takes away a column that the version before may still read' },
  { breaks: /^alter table .*\balter (column )?\S+ (set data )?type\b/, because: 'changes the type of a column, and rewrites its table under a lock' },
  { breaks: /^alter table .*\balter (column )?\S+ drop default\b/, because: 'the version before may leave the value to the default' },
  { breaks: /^revoke .*\bfrom sello_app\b/, because: 'takes a right that the version before may need' },
];

/** Steps that no version survives: they are to be taken another way. */
const NEVER: readonly Rule[] = [
  { breaks: /^alter table .*\badd (column )?\S+ (?!.*\bdefault\b).*\bnot null\b/, because: 'the version before writes rows without it: give it a default' },
  { breaks: /^alter table .*\balter (column )?\S+ set not null\b/, because: 'reads the whole table under a lock: add a check `not valid`, validate it, then set it in the next migration' },
  { breaks: /^alter table .*\badd (constraint \S+ )?(check|foreign key)\b(?!.*\bnot valid\b)/, because: 'reads the whole table under a lock: add it `not valid`, validate it in the next migration' },
  { breaks: /^alter table .*\badd (constraint \S+ )?(unique|primary key|exclude)\b(?!.*\busing index\b)/, because: 'builds an index under a lock: build it concurrently, then add it `using index`' },
  { breaks: /^grant .*\bon schema sello to .*\bsello_app\b/, because: 'opens a database whose restore was not finished: that is left to after-restore' },
  { breaks: /^(vacuum full|cluster|lock table|truncate)\b/, because: 'holds a lock as long as it takes' },
];

const CONTRACT = /^-- contract: \S.+$/m;
const ON_ITS_OWN = /^-- without transaction$/m;

/** The statements of a file, without comments and without the bodies of functions; blanks made one. */
function statementsOf(sql: string): string[] {
  return sql
    .replace(/--.*$/gm, '')
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .split(';')
    .map((statement) => statement.trim().replace(/\s+/g, ' ').toLowerCase())
    .filter((statement) => statement !== '');
}

/** The tables that a migration creates itself: nobody uses them yet. */
const createdIn = (statements: readonly string[]): string[] => statements.map((statement) => /^create (?:unlogged )?table (?:if not exists )?(\S+)/.exec(statement)?.[1] ?? '').filter((name) => name !== '');

/** What is wrong with a migration, in words; empty when the version before it can go on serving. */
export function migrationProblems(sql: string): string[] {
  const statements = statementsOf(sql);
  const mine = createdIn(statements);
  const isMine = (statement: string): boolean => mine.includes(/^(?:alter table (?:only )?|create (?:unique )?index (?:concurrently )?\S+ on (?:only )?)(\S+)/.exec(statement)?.[1] ?? '');
  const problems: string[] = [];
  for (const statement of statements.filter((one) => !isMine(one))) {
    const told = (because: string): void => void problems.push(`${statement.slice(0, 80)}: ${because}`);
    for (const { breaks, because } of CONTRACTING) if (!CONTRACT.test(sql) && breaks.test(statement)) told(because);
    for (const { breaks, because } of NEVER) if (breaks.test(statement)) told(because);
    const index = /^(?:create (?:unique )?|drop )index (concurrently )?/.exec(statement);
    if (index !== null && index[1] === undefined) told('locks its table while it is built, or until the last reader ends: do it `concurrently`, in a migration of its own `-- without transaction`');
    if (index?.[1] !== undefined && !(ON_ITS_OWN.test(sql) && statements.length === 1)) told('cannot be done within a transaction: give it a migration of its own that says `-- without transaction`');
  }
  return problems;
}
