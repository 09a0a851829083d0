/** What an error says. A server that is reached at none of its addresses is told of by one without words, with one for each address. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return error.message || (error instanceof AggregateError ? error.errors.map(reasonOf).filter(Boolean).join('; ') : '');
}
