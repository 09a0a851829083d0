import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const DEFAULT_URL = 'http://127.0.0.1:3000';
const DEMO_TENANT = z.object({ api_key: z.string() });

/** Where the command line finds the service, and as whom it calls. */
export interface CliConnection {
  readonly url: string;
  /** Null when no key is known. */
  readonly apiKey: string | null;
}

/**
 * What options say, else SELLO_URL and SELLO_API_KEY, else the demo company of `npm start` in this folder.
 * @param folder where `npm start` was run
 */
export function cliConnection(options: { readonly url?: string; readonly key?: string }, environment: NodeJS.ProcessEnv = process.env, folder = process.cwd()): CliConnection {
  const url = options.url ?? environment['SELLO_URL'] ?? DEFAULT_URL;
  return { url: url.endsWith('/') ? url.slice(0, -1) : url, apiKey: options.key ?? environment['SELLO_API_KEY'] ?? demoKey(environment['SELLO_DATA_DIR'] ?? join(folder, '.sello')) };
}

function demoKey(folder: string): string | null {
  const file = join(folder, 'demo.json');
  if (!existsSync(file)) return null;
  const parsed = DEMO_TENANT.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  return parsed.success ? parsed.data.api_key : null;
}
