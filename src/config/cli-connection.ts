import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';

const DEFAULT_URL = 'http://127.0.0.1:3000';
const DEMO_TENANT = z.object({ api_key: z.string() });
// A key goes where this file says, and the folder may be somebody else's: so to this machine alone.
const RUNNING = z.object({ url: z.string().refine(isOfThisMachine) });

/** Where the command line finds the service, and as whom it calls. */
export interface CliConnection {
  readonly url: string;
  /** Null when no key is known. */
  readonly apiKey: string | null;
}

/**
 * Address and key: from the options, else from SELLO_URL and SELLO_API_KEY, else those of the demo company of `npm start` in this
 * folder, where that listens on this machine. What is empty in the environment is not set.
 * @param folder where `npm start` was run
 */
export function cliConnection(options: { readonly url?: string; readonly key?: string }, environment: NodeJS.ProcessEnv = process.env, folder = process.cwd()): CliConnection {
  const setting = (name: string): string | undefined => environment[name] || undefined;
  const data = setting('SELLO_DATA_DIR') ?? join(folder, '.sello');
  const url = options.url ?? setting('SELLO_URL') ?? read(join(data, 'running.json'), RUNNING)?.url ?? DEFAULT_URL;
  return { url: url.endsWith('/') ? url.slice(0, -1) : url, apiKey: options.key ?? setting('SELLO_API_KEY') ?? read(join(data, 'demo.json'), DEMO_TENANT)?.api_key ?? null };
}

/** What a file of the local service says; null where it says something else, is not there or was cut short. */
function read<Content>(file: string, schema: z.ZodType<Content>): Content | null {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
  const parsed = schema.safeParse(content);
  return parsed.success ? parsed.data : null;
}

function isOfThisMachine(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || isIPv4(hostname) && hostname.startsWith('127.');
}
