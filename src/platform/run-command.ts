/**
 * Runs a command; what it fails of is told in one line, and by exit code 1.
 *
 * @param otherwise the line for what is thrown without words
 */
export async function runCommand(work: () => Promise<void>, otherwise: string): Promise<void> {
  try {
    await work();
  } catch (error) {
    process.stderr.write(`${reasonOf(error) || otherwise}\n`);
    process.exitCode = 1;
  }
}

/** A server that is reached at none of its addresses is told of by an error without words, with one for each address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return error.message || (error instanceof AggregateError ? error.errors.map(reasonOf).filter(Boolean).join('; ') : '');
}
