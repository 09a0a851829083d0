/** What an error says. For a server that is reached at none of its addresses, Node gives an error without a message that holds one error for each address. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return error.message || (error instanceof AggregateError ? error.errors.map(reasonOf).filter(Boolean).join('; ') : '');
}
