import { ACTION_MEANINGS, type FaultAction, MALFORMED_BODIES, servicesOf } from '../simulator/brain/fault-actions.js';
import { MAGIC_FIELD } from '../simulator/brain/magic/directives.js';
import { type MagicArgument, MAGIC_VALUES, type MagicValue } from '../simulator/brain/magic/values.js';
import { MAGIC_NUMBERS } from '../simulator/brain/magic/registry-numbers.js';
import { SRI_MESSAGES } from '../simulator/brain/messages.js';
import { CONTROL_ROUTES } from '../simulator/http/control/control.js';
import { CHANGEABLE } from '../simulator/http/control/settings.js';
import { REGISTRY_BASE, REGISTRY_PATHS } from '../simulator/http/registry.js';
import { SERVICES } from '../simulator/http/services.js';
import { generatedFrom, table } from './markdown.js';

/** `docs/simulator.md`: how to run the SRI's stand-in and how to make it do what the SRI may do. */
export function simulatorPage(): string {
  const [codes, others] = [MAGIC_VALUES.filter(isCode), MAGIC_VALUES.filter((value) => !isCode(value))];
  return [
    generatedFrom('SRI simulator', 'the tables in `src/simulator`'),
    ...RUNNING,
    table(['Service', 'Path'], [
      ...Object.entries(SERVICES).map(([path, service]) => [service, `\`${path}\``]),
      ...Object.entries(REGISTRY_PATHS).map(([path, { parameter }]) => ['registry', `\`${REGISTRY_BASE}${path}?${parameter}=\``]),
    ]),
    '',
    ...KEEPING,
    ...MAGIC,
    table(['Value', 'Acts on', 'How often', 'What happens', 'A document comes to'], others.map(rowOf)),
    '',
    '### Codes',
    '',
    'A code is a value by itself. Refusals at authorization are decided when the document arrives; a code that is refused every',
    'time is refused until the document is corrected without it.',
    '',
    table(
      ['Value', 'Message', 'Meaning', 'In the answer of', 'How often', 'A document comes to'],
      codes.map((value) => {
        const row = SRI_MESSAGES[value.name];
        const at = row?.at === 'query' ? 'authorization, about the question' : (row?.at ?? '');
        return [`\`${value.name}\``, row?.label ?? '', value.meaning, at, timesOf(value), value.leadsTo];
      }),
    ),
    '',
    ...CONTROL,
    table(['Request', 'What it does'], CONTROL_ROUTES.map(({ method, path, meaning }) => [`\`${method} /control/${path}\``, meaning])),
    '',
    `Settings: ${list(CHANGEABLE.settings)}. Properties of a RUC: ${list(CHANGEABLE.taxpayer)}.`,
    '',
    ...RULES,
    table(
      ['Action', 'Services', 'Fields and effect'],
      Object.entries(ACTION_MEANINGS).map(([kind, meaning]) => [
        `\`${kind}\``,
        servicesOf(kind as FaultAction['kind']).length === 1 ? servicesOf(kind as FaultAction['kind']).join() : 'each',
        meaning,
      ]),
    ),
    '',
    `Spoilt bodies: ${list(MALFORMED_BODIES)}.`,
    '',
    ...PORTAL,
    ...REGISTRY,
    table(['Number', 'What the registry says'], MAGIC_NUMBERS.map(({ shown, meaning }) => [`\`${shown}\``, meaning])),
    '',
  ].join('\n');
}

function isCode({ name }: MagicValue): boolean {
  return SRI_MESSAGES[name] !== undefined;
}

function rowOf(value: MagicValue): readonly string[] {
  const { name, argument, service, movableTo } = value;
  const [written, fallback] = writtenWith(name, argument);
  const services = movableTo.length > 1 ? `${service}; @${movableTo.filter((other) => other !== service).join(', @')}` : service;
  return [`\`${written}\``, services, timesOf(value), `${value.meaning}${fallback}`, value.leadsTo];
}

function writtenWith(name: string, argument: MagicArgument | null): readonly [written: string, fallback: string] {
  if (argument === null) return [name, ''];
  if (argument.fallback === null) return [`${name}:${argument.name}`, ''];
  return [`${name}[:${argument.name}]`, ` (${argument.name} ${argument.fallback} if not given)`];
}

function timesOf({ times }: MagicValue): string {
  return times === null ? 'always' : times === 1 ? 'once' : `${times} times`;
}

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

const RUNNING = [
  'It stands in for the SRI: the same envelopes, codes and order of checks (size, schema, taxpayer, number, signature, dates,',
  'arithmetic), the portal in which people annul, and every way in which the real one was seen to misbehave. Alone:',
  '',
  '```sh',
  'npm run simulator                       # http://127.0.0.1:8089; SIMULATOR_PORT, SIMULATOR_HOST to change',
  '```',
  '',
  '`npm start` runs it beside the service. It judges by its own code, and has no credentials: do not expose it. Any client of the',
  'SRI can use it; its services are where the SRI has them:',
  '',
];

const KEEPING = [
  '## What it keeps',
  '',
  '`npm start` has it write what it received, decided and recorded into `.sello/simulator.jsonl`, and goes on from there at the next',
  'start, also after `kill -9`: documents in process are decided in their time, annulments stand, and magic values count on. A',
  'clock that was set elsewhere, fault rules, outages, settings and properties of a RUC end with the process. Alone it keeps',
  'everything in memory, unless it is given a file:',
  '',
  '```sh',
  'SIMULATOR_JOURNAL=simulator.jsonl npm run simulator',
  '```',
  '',
  'The file grows with each request, and one simulator at a time may use it.',
  '',
];

const MAGIC = [
  '## Magic values',
  '',
  `Whoever issues through the API needs no access to the simulator: an additional field named \`${MAGIC_FIELD}\` says what shall`,
  'happen to the document. It works for every document type, and only here: to the SRI it is text like any other.',
  '',
  '```json',
  `"additional_info": [{ "name": "${MAGIC_FIELD}", "value": "50x2, in-process:30" }]`,
  '```',
  '',
  'Values are separated by commas: `value[:argument][@service][xN]`. Of those that decide a request, the first that is not used up',
  'acts; the next one waits for a request of its own. `slow`, `in-process`, warnings and the three of `annul` add up: they act as',
  'well, wherever they are written.',
  '',
  '- `xN`: the first N requests about the access key; `x*`: all of them. Without it, as the tables say.',
  '- `@authorization`, `@consultation`: acts on the question instead of the submission, where the table allows it.',
  '- Requests are counted for each access key. The last submission under a key decides which values hold for it, also where a fault',
  '  rule decides its answer: a correction without the field is treated as any other document.',
  '- Of several such fields the first counts. Details of lines are none, whatever their name.',
  `- A value that does not exist is refused with 35, and the message says so.`,
  '',
];

const CONTROL = [
  '## Control API',
  '',
  'JSON over HTTP on the same port. A body that is not JSON is answered 400, one of more than 2 MB 413, any other wrong one 422 with',
  'the reason; what the portal does not do is 409.',
  '',
  '```sh',
  'SRI=http://127.0.0.1:8089/control',
  'curl -sS "$SRI/ledger?access_key=$KEY&operation=reception"                                   # what arrived, when, what was answered',
  `curl -sS -X PUT $SRI/services/authorization -d '{"up": false}'                               # half an outage`,
  `curl -sS -X POST $SRI/clock/advance -d '{"seconds": 86400}'                                  # a day later`,
  `curl -sS -X POST $SRI/faults -d '{"match": {"ruc": "1790012345001"}, "times": 3, "action": {"kind": "refuse", "code": "50", "at": "reception"}}'`,
  '```',
  '',
];

const RULES = [
  '## Fault rules',
  '',
  'For one issuer, one document, or all: `{"match": {...}, "times": N, "action": {"kind": ...}}`.',
  '',
  '- `match`: `service`, `ruc`, `document_type`, `access_key`; nothing means every request.',
  '- `times` (default 1, `null` without end) after `skip` requests, or `nth` as a list of ordinals; `per_key` counts each key apart.',
  '- If several rules hit, the first that decides acts, and those that add up act as well. An outage comes before rules, rules before magic values.',
  '',
];

const PORTAL = [
  '## Annulment',
  '',
  'No web service annuls: people do, in the portal. The simulator’s portal follows the rules in force since August 2025:',
  'until day 7 of the month after the issue date (the next business day when that is none; no limit for withholdings of ISD);',
  'never for the final consumer; credit notes, debit notes and withholdings wait for their receiver, five business days, unless',
  'he is foreign; silence and refusal leave the document authorized; nothing takes an annulment back. `ConsultaComprobante` answers',
  'the state of documents of this month and the last, and 99 for all others. The magic values `annul`,',
  '`annul-refused` and `annul-silent` play these parts without the control API.',
  '',
];

const REGISTRY = [
  '## Public registry',
  '',
  'Answers about every RUC of a first establishment (suffix 001), persons and companies, with data that follow from the number.',
  'Settings of a RUC by `/control/taxpayers/{ruc}` (`exists`, `active`) hold here too; fault rules and outages name the service',
  '`registry`. Some numbers stand for a case of their own:',
  '',
];
