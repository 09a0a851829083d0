/**
 * Tests that need what a machine may lack: a program, or the official files, which are not ours to copy into the project.
 * Where it is missing they are reported as skipped, with the reason in their name; CI has all of it.
 * @param missing why not, e.g. "SRI_REFERENCE_DIR is not set"; null where nothing is missing
 */
export function describeWhere(missing: string | null, name: string, tests: () => void): void {
  if (missing === null) describe(name, tests);
  else it.skip(`${name}: skipped, ${missing}`, () => undefined);
}
