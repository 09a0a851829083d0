import { fstatSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { SQL_STATE } from './database/sql-state.js';
import { reasonOf } from './reason.js';

/** A command as its help shows it. */
export interface Command {
  /** How it is called, and what it does then. */
  readonly usage: string;
  /** The line for what is thrown without words. */
  readonly otherwise: string;
  /** What is to be known of what a failure leaves behind; empty where nothing is. */
  readonly aftermath?: () => string;
}

/**
 * Runs a command; a failure is one line and exit code 1. Asked for help, it prints its usage and does nothing.
 *
 * @param parameters what it was called with
 */
export async function runCommand({ usage, otherwise, aftermath = () => '' }: Command, work: () => Promise<void>, parameters: readonly string[] = process.argv.slice(2)): Promise<void> {
  if (parameters.some((parameter) => parameter === '--help' || parameter === '-h')) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const fail = (error: unknown): void => {
    process.stderr.write(`${[commandFailure(error) || otherwise, aftermath()].filter((part) => part !== '').join('; ')}\n`);
    process.exitCode = 1;
  };
  // A connection that is lost between two queries: work under its guard, such as the turn of a migration, must not go on.
  const lost = (error: Error): void => {
    fail(error);
    // An error without a code is not a lost connection but a mistake in this program.
    if (!('code' in error)) process.stderr.write(`${error.stack}\n`);
    process.exit();
  };
  process.on('uncaughtException', lost);
  try {
    await work();
    await written();
  } catch (error) {
    fail(error);
  } finally {
    process.off('uncaughtException', lost);
  }
}

/** Waits until what was printed is out: where it cannot be, as on a full disk, its stream says so only afterwards. */
async function written(): Promise<void> {
  await new Promise((done) => process.stdout.write('', done));
}

/** Why a key would surely be lost that is made now; null where it may be printed. A closed standard output is one to /dev/null, as Node has it. */
export function whyKeyWouldBeLost(): string | null {
  const isKept = fstatSync(process.stdout.fd).rdev !== statSync(devNull).rdev;
  return isKept ? null : 'standard output is closed or leads nowhere: the key would be lost, so nothing was made';
}

/** What is to be known where a key was made that could not be printed after all. @param made what it is of, or which it is: `tenant … was made, its key` */
export const keyWasLost = (made: string): string => `${made} could not be printed: revoke it`;

const OWNER_NEEDED = 'DATABASE_OWNER_URL: set the login that owns the schema';
const OWNER_OR_MIGRATION_NEEDED = `${OWNER_NEEDED}; if it is set, run npm run migrate first`;

/** Hints for a login that may not do, or not even see, what is the owner's: PostgreSQL's own words name no setting. */
const HINTS: Readonly<Record<string, string>> = {
  [SQL_STATE.insufficientPrivilege]: OWNER_NEEDED,
  [SQL_STATE.undefinedFunction]: OWNER_OR_MIGRATION_NEEDED,
  [SQL_STATE.invalidSchemaName]: OWNER_OR_MIGRATION_NEEDED,
};

/** Why an operator's command failed, with what is to be set where the service's login was used for the owner's work; may be empty. */
export function commandFailure(error: unknown): string {
  const reason = reasonOf(error);
  const hint = error instanceof Error && 'code' in error ? HINTS[String(error.code)] : undefined;
  return hint === undefined ? reason : `${hint} (${reason})`;
}
