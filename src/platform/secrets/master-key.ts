import { KEY_PROBLEMS } from '../../config/key-settings.js';
import { SettingsError } from '../../config/settings.js';
import { readPrivateFile } from './private-file.js';

const KEY_BYTES = 32;

/**
 * The master keys out of their file or the environment: 32 bytes in base64 each, separated by commas or lines. The first
 * wraps new secrets; older ones stay after it until every secret was wrapped anew.
 * @throws SettingsError when they are absent, given twice, of the wrong length, or open to others; never repeats them
 */
export function readMasterKeys(settings: { readonly MASTER_KEY?: string | undefined; readonly MASTER_KEY_FILE?: string | undefined }): [Buffer, ...Buffer[]] {
  const { MASTER_KEY: inline, MASTER_KEY_FILE: file } = settings;
  const problem = KEY_PROBLEMS.master({ MASTER_KEY: inline, MASTER_KEY_FILE: file });
  if (problem !== null) throw new SettingsError(problem);
  const [text, setting] = file === undefined ? ([inline ?? '', 'MASTER_KEY'] as const) : ([readPrivateFile('MASTER_KEY_FILE', file), 'MASTER_KEY_FILE'] as const);
  const [current, ...older] = text.trim().split(/[\s,]+/).map((one) => decode(one, setting));
  if (current === undefined) throw wrongKey(setting);
  return [current, ...older];
}

function decode(text: string, setting: 'MASTER_KEY' | 'MASTER_KEY_FILE'): Buffer {
  const trimmed = text.trim();
  const key = Buffer.from(trimmed, 'base64');
  // Node skips what is not base64: only an exact round trip proves that all of it was read.
  if (key.length !== KEY_BYTES || key.toString('base64') !== trimmed) throw wrongKey(setting);
  return key;
}

/** Two keys on one line are refused as one of the wrong length. */
const wrongKey = (setting: 'MASTER_KEY' | 'MASTER_KEY_FILE'): SettingsError =>
  new SettingsError(`${setting}: must be ${KEY_BYTES} bytes in base64${setting === 'MASTER_KEY_FILE' ? ', one key per line' : ''}`);
