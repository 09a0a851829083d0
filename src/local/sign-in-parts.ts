import { isPortFree } from '../platform/embedded/free-port.js';
import type { DataFolder } from './data-folder.js';
import { Mailbox } from './mailbox.js';
import type { LocalOptions } from './options.js';
import { googleSettings, startIdentityProvider } from './parts.js';
import type { Progress } from './progress.js';
import type { RunningParts } from './running-parts.js';

/** What people sign in with on one machine. */
export interface SignInParts {
  /** Settings of the API. */
  readonly env: Readonly<Record<string, string>>;
  /** Page that shows what was mailed; null when SMTP_URL was given. */
  readonly mailboxUrl: string | null;
  /** Stands in for Google; null when a client of the real one was given. */
  readonly identityProviderUrl: string | null;
}

/** Starts a mailbox and an identity provider where none were given, and finds or makes the key of access tokens. */
export async function startSignInParts(options: LocalOptions, folder: DataFolder, parts: RunningParts, progress: Progress): Promise<SignInParts> {
  const { given } = options;
  const hasKeys = given['TOKEN_KEYS'] !== undefined || given['TOKEN_KEYS_FILE'] !== undefined;
  const keys: Record<string, string> = hasKeys ? {} : { TOKEN_KEYS_FILE: folder.tokenKeysFile() };
  // Nobody signs in to a demonstration.
  if (options.demo) return { env: keys, mailboxUrl: null, identityProviderUrl: null };
  const mailbox = given['SMTP_URL'] === undefined ? await startMailbox(options, parts, progress) : null;
  const provider = given['GOOGLE_CLIENT_ID'] === undefined ? await startProvider(options, folder, parts, progress) : null;
  return {
    env: { ...keys, ...(mailbox === null ? {} : { SMTP_URL: mailbox.smtpUrl }), ...(provider === null ? {} : googleSettings(provider)) },
    mailboxUrl: mailbox?.pageUrl ?? null,
    identityProviderUrl: provider,
  };
}

async function startMailbox(options: LocalOptions, parts: RunningParts, progress: Progress): Promise<Mailbox> {
  const mailbox = await progress.step(
    'Mailbox',
    async () => Mailbox.start(await portOrFree(options.mailboxPort)),
    ({ pageUrl }) => `Mailbox, ${pageUrl}`,
  );
  const endless = new Promise<string>(() => undefined);
  parts.add('mailbox', { logFile: null, ended: endless, stop: () => mailbox.stop() });
  return mailbox;
}

async function startProvider(options: LocalOptions, folder: DataFolder, parts: RunningParts, progress: Progress): Promise<string> {
  const provider = await progress.step(
    'Identity provider',
    async () => startIdentityProvider(await portOrFree(options.identityProviderPort), folder.logs),
    ({ url }) => `Identity provider in place of Google, ${url ?? ''}`,
  );
  parts.add('identity provider', provider);
  return provider.url ?? '';
}

const portOrFree = async (port: number): Promise<number> => ((await isPortFree(port)) ? port : 0);
