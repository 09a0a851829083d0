import { readFileSync, statSync } from 'node:fs';
import { SettingsError } from '../../config/settings.js';

/** The group may read: Kubernetes mounts a secret as root's, for the group of the pod (`fsGroup`), with mode 0440. */
const TOO_OPEN = 0o037;

/**
 * What a file of keys holds.
 * @param setting that names the file, for the message
 * @throws SettingsError when it is not there, its group may do more than read it, or others may do anything
 */
export function readPrivateFile(setting: string, path: string): string {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined) throw new SettingsError(`${setting}: the file does not exist`);
  if ((mode & TOO_OPEN) !== 0) throw new SettingsError(`${setting}: only its owner and, to read it, its group may have access (mode 0600, or 0440)`);
  return readFileSync(path, 'utf8');
}
