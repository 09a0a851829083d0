/** The oldest major version of PostgreSQL that the service is tested on. */
export const OLDEST = 15;

/**
 * Whether a server is new enough.
 *
 * @param version its `server_version_num`, such as 150018
 * @returns what is wrong and what to do; null when nothing is
 */
export function serverVersionProblem(version: number): string | null {
  const major = Math.floor(version / 10_000);
  return major >= OLDEST ? null : `DATABASE_OWNER_URL: the server is PostgreSQL ${major}; upgrade it to ${OLDEST} or later, which the service needs`;
}
