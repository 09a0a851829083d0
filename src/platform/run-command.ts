import { reasonOf } from './reason.js';

/**
 * Runs a command; what it fails of is told in one line, and by exit code 1.
 *
 * @param otherwise the line for what is thrown without words
 */
export async function runCommand(work: () => Promise<void>, otherwise: string): Promise<void> {
  try {
    await work();
  } catch (error) {
    process.stderr.write(`${commandFailure(error) || otherwise}\n`);
    process.exitCode = 1;
  }
}

const OWNER_NEEDED = 'DATABASE_OWNER_URL: set the login that owns the schema';
const OWNER_OR_MIGRATION_NEEDED = `${OWNER_NEEDED}; if it is set, run npm run migrate first`;

/** What PostgreSQL tells a login that may not do, or not even see, what is the owner's: it names no setting. */
const HINTS: Readonly<Record<string, string>> = {
  // insufficient_privilege, undefined_function, invalid_schema_name
  '42501': OWNER_NEEDED,
  '42883': OWNER_OR_MIGRATION_NEEDED,
  '3F000': OWNER_OR_MIGRATION_NEEDED,
};

/** Why an operator's command failed, with what is to be set where the service's login was used for the owner's work; may be empty. */
export function commandFailure(error: unknown): string {
  const reason = reasonOf(error);
  const hint = error instanceof Error && 'code' in error ? HINTS[String(error.code)] : undefined;
  return hint === undefined ? reason : `${hint} (${reason})`;
}
