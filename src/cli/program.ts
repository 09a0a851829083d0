import { Command, InvalidArgumentError, Option } from 'commander';
import { cliConnection } from '../config/cli-connection.js';
import { EVENT_KINDS } from '../shared/event-catalogue.js';
import { Api } from './api.js';
import { issue, type IssueOptions } from './commands/issue.js';
import { createKey, listKeys, revokeKey } from './commands/keys.js';
import { listen, type ListenOptions } from './commands/listen.js';
import { replay, type ReplayOptions } from './commands/replay.js';
import { status } from './commands/status.js';
import { EXIT } from './failure.js';
import { untilInterrupted } from './interruption.js';
import { OUTCOMES } from './outcomes.js';
import { Output } from './output.js';

interface GlobalOptions {
  readonly url?: string;
  readonly key?: string;
  readonly json?: boolean;
}

const ENDINGS = `
Exit codes: ${Object.values(EXIT).map(({ code, meaning }) => `${code} ${meaning}`).join(', ')}.
The service and the key: --url and --key, else SELLO_URL and SELLO_API_KEY, else the demo company of npm start.`;

/** The command line `sello`: what each command takes, and which function does it. Commands that need parts of the service are loaded on demand. */
export function program(write: (text: string) => void): Command {
  const sello = new Command('sello')
    .description('Issue electronic tax documents of Ecuador, and watch what becomes of them.')
    .option('--url <address>', 'where the service is')
    .option('--key <key>', 'API key; SELLO_API_KEY is safer, for it is in no list of processes')
    .option('--json', 'JSON for programs, one value a line')
    .addHelpText('after', ENDINGS)
    .showSuggestionAfterError()
    .exitOverride();
  const api = (): Api => new Api(cliConnection(sello.opts<GlobalOptions>()));
  const output = (): Output => new Output(sello.opts<GlobalOptions>().json === true, write);
  const kind = () => new Option('--type <kind>', 'only events of this kind').choices(EVENT_KINDS);
  const wait = () => new Option('--wait <seconds>', 'how long to follow it; 0 does not').argParser(wholeNumber).default(30);

  sello.command('issue <file>')
    .description('issue the document of a JSON file (- reads standard input); date and numeric code may be left out, and the place where the tenant has only one')
    .addOption(wait())
    .option('--idempotency-key <key>', 'what identifies the sale; default one for this call')
    .option('--dry-run', 'only check')
    .action((file: string, options: IssueOptions) => issue(api(), output(), file, options));

  sello.command('trigger <outcome>')
    .description('issue an invoice that the simulator treats in a certain way')
    .addOption(wait())
    .addHelpText('after', `\nOutcomes:\n${Object.entries(OUTCOMES).map(([name, { meaning }]) => `  ${name.padEnd(18)}${meaning}`).join('\n')}\nor any magic value of docs/simulator.md.`)
    .action(async (outcome: string, options: { wait: number }) => (await import('./commands/trigger.js')).trigger(api(), output(), outcome, options));

  sello.command('status [document]')
    .description('what a document (id or access key) went through; without one, how the service stands')
    .action((document: string | undefined) => status(api(), output(), document));

  sello.command('listen')
    .description('show events as they happen, and send them on to an address of your own')
    .option('--forward-to <address>', 'where each event is sent, signed as webhooks are')
    .option('--secret <whsec>', 'what to sign with; default one that is drawn and shown')
    .addOption(kind())
    .option('--cursor <cursor>', 'where to go on; default what happens from now on')
    .addOption(new Option('--count <number>', 'end after so many events').argParser(wholeNumber))
    .action((options: ListenOptions) => listen(api(), output(), options, untilInterrupted()));

  sello.command('replay')
    .description('send past events again: by a webhook, or straight to an address of your own')
    .option('--webhook <id>', 'webhook that sends them')
    .option('--delivery <id>', 'with --webhook: this delivery')
    .option('--from <time>', 'with --webhook: events since')
    .option('--to <time>', 'with --webhook: events until')
    .option('--forward-to <address>', 'where to send them without a webhook')
    .option('--secret <whsec>', 'with --forward-to: what to sign with')
    .option('--document <id>', 'with --forward-to: only events of this document')
    .addOption(kind())
    .action((options: ReplayOptions) => replay(api(), output(), options));

  const keys = sello.command('keys').description('API keys of the tenant');
  keys.command('list').description('all of them, newest first').action(() => listKeys(api(), output()));
  keys.command('create <name>').description('make one; it is shown this once').action((name: string) => createKey(api(), output(), name));
  keys.command('revoke <id>').description('end one at once').action((id: string) => revokeKey(api(), output(), id));

  sello.command('test-certificate <file>')
    .description('make a signing certificate that the service and the simulator take, and the SRI does not; its RUC and password are shown')
    .option('--ruc <ruc>', 'whose it is; default one that is made up')
    .action(async (file: string, { ruc }: { ruc?: string }) => (await import('./commands/test-certificate.js')).testCertificate(output(), file, ruc));

  const tenants = sello.command('tenants').description('for who runs the service');
  tenants.command('create')
    .description('make a tenant with its first API key; needs the settings of the service')
    .requiredOption('--name <name>', 'name of the tenant')
    .option('--key-name <name>', 'name of the key')
    .action(async ({ name, keyName }: { name: string; keyName?: string }) => (await import('./commands/tenants.js')).createTenant(output(), name, keyName));
  return sello;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('a whole number was expected');
  return Number(text);
}
