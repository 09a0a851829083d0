import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { SETTINGS_SCHEMA } from '../config/settings.js';
import { LIFECYCLE } from '../modules/documents/domain/lifecycle.js';
import { EVENT_KINDS } from '../shared/event-catalogue.js';
import { SERVICE_FIELDS } from '../sri/document-types/parts/additional-info.js';
import { accessPage } from './access.js';
import { configurationPage, environmentExample, LOCAL_SETTINGS, settingsOf } from './configuration.js';
import { ERROR_CATALOGUE } from '../shared/error-catalogue.js';
import { errorsPage } from './errors.js';
import { eventsPage } from './events.js';
import { issuingPage } from './issuing.js';
import { lifecyclePage } from './lifecycle.js';
import { rulesPage } from './rules.js';
import { schemaPage } from './schema-page.js';

describe('pages', () => {
  it('tell of an invoice how many fields are the caller\'s, and how old its date may be', () => {
    const page = issuingPage();
    expect(page).toContain(`\`MAX_ISSUE_DATE_AGE_DAYS\` (${SETTINGS_SCHEMA.shape.MAX_ISSUE_DATE_AGE_DAYS.parse(undefined)})`);
    for (const name of Object.values(SERVICE_FIELDS)) expect(page).toContain(name);
  });

  it('listen on the stream for types that there are', () => {
    const example = /followEvents\(API, \[(.+)\]/.exec(readFileSync('docs/front-ends.md', 'utf8'))?.[1] ?? '';
    const types = [...example.matchAll(/'([^']+)'/g)].map(([, type]) => type);
    expect(types.length).toBeGreaterThan(0);
    expect(EVENT_KINDS).toEqual(expect.arrayContaining(types));
  });
});

describe('generated pages', () => {
  const schema = z.object({
    ADDRESS: z.string().describe('Where it is'),
    PORT: z.coerce.number().default(3000).describe('Port'),
    WAIT: z.coerce.number().describe('Waits | seconds').default(5),
    STEPS: z
      .string()
      .default('1,2')
      .transform((list) => list.split(',').map(Number))
      .describe('Ladder'),
    KEY: z.string().optional().describe('Key'),
  });

  it('read name, meaning, default and need of each setting off the schema', () => {
    expect(settingsOf(schema)).toEqual([
      { name: 'ADDRESS', description: 'Where it is', fallback: null, required: true },
      { name: 'PORT', description: 'Port', fallback: '3000', required: false },
      { name: 'WAIT', description: 'Waits | seconds', fallback: '5', required: false },
      { name: 'STEPS', description: 'Ladder', fallback: '1,2', required: false },
      { name: 'KEY', description: 'Key', fallback: null, required: false },
    ]);
  });

  it('show settings as a table and as a file to copy', () => {
    const settings = settingsOf(schema);
    const page = configurationPage(settings, []);
    expect(page).toContain('| `ADDRESS` | required | Where it is |');
    expect(page).toContain('| `WAIT` | `5` | Waits \\| seconds |');
    const example = environmentExample(settings, []);
    expect(example).toContain('# Where it is (required)\nADDRESS=\'\'\n');
    expect(example).toContain('# Ladder\n#STEPS=\'1,2\'\n');
  });

  /** What a shell hands on of a file of settings, every line of which is used. */
  const readByShell = (file: string): Record<string, string> => {
    const folder = mkdtempSync(join(tmpdir(), 'env-example-'));
    writeFileSync(join(folder, 'env'), file.replaceAll(/^#(?=[A-Z_]+=)/gm, ''));
    const print = 'process.stdout.write(JSON.stringify(process.env))';
    const { stdout, stderr } = spawnSync('sh', ['-euc', 'set -a; . "$1"; exec "$2" -e "$3"', 'sh', join(folder, 'env'), process.execPath, print], { encoding: 'utf8', env: {} });
    rmSync(folder, { recursive: true });
    expect(stderr).toBe('');
    return JSON.parse(stdout) as Record<string, string>;
  };

  it('have in the file to copy room for whatever is put into a line, such as an address with options', () => {
    const service = settingsOf(SETTINGS_SCHEMA);
    const awkward = 'postgresql://u:$p`w"@h/d?sslmode=verify-full&sslrootcert=/etc/my ca.pem;#(x)\\';
    const read = readByShell(environmentExample(service, LOCAL_SETTINGS).replaceAll(/^(#?[A-Z_]+=')[^'\n]*'$/gm, (_line, start: string) => `${start}${awkward}'`));
    for (const { name } of [...service, ...LOCAL_SETTINGS]) expect([name, read[name]]).toEqual([name, awkward]);
  });

  it('have in the file to copy what a shell reads and the service takes, whichever lines are used', () => {
    const service = settingsOf(SETTINGS_SCHEMA);
    const read = readByShell(environmentExample(service, LOCAL_SETTINGS));
    for (const { name, fallback } of [...service, ...LOCAL_SETTINGS]) expect([name, read[name]]).toEqual([name, fallback ?? expect.any(String)]);
    const given = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== ''));
    expect(SETTINGS_SCHEMA.safeParse(given).error?.issues ?? []).toEqual([]);
  });

  it('tell answers from what stands on the record', () => {
    const entry = (status: number) => ({ status, es: 'es', en: 'en', actionEs: 'haga', actionEn: 'do' });
    const page = errorsPage({ LATE: entry(503), EARLY: entry(400), LATER: entry(200) });
    expect(page.indexOf('`EARLY` | 400 | en. do. | es. haga. |')).toBeGreaterThan(-1);
    expect(page.indexOf('`LATE`')).toBeGreaterThan(page.indexOf('`EARLY`'));
    expect(page.slice(page.indexOf('On the document record'))).toContain('| `LATER` | en. do. | es. haga. |');
  });

  it('tell every status of a code that has several, and which reasons have them', () => {
    const page = errorsPage(ERROR_CATALOGUE);
    expect(page).toContain('| `MALFORMED_REQUEST` | 400, 408, 431 |');
    expect(page).toContain('| `MALFORMED_REQUEST` | `too_slow` (408) |');
    expect(page).toContain('| `MALFORMED_REQUEST` | `headers_too_large` (431) | Address and headers are too large together.');
  });

  it('tell what each allowed action means that a refusal names in so many words and that is no act on a document', () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts')).map((path) => readFileSync(join('src', path), 'utf8'));
    const words = sources.flatMap((text) => [...text.matchAll(/\ballowed_actions: \[([^\]]*)\]/g)].flatMap(([, list = '']) => [...list.matchAll(/'(\w+)'/g)].map(([, word]) => word)));
    const acts = new Set<unknown>(Object.values(LIFECYCLE).flatMap(({ actions }) => [...actions]));
    expect(words).toEqual(expect.arrayContaining(['raise_higher', 'repeat']));
    for (const word of words.filter((one) => !acts.has(one))) expect(errorsPage({})).toContain(`| \`${word}\` |`);
  });

  it('name every kind of event with what it carries', () => {
    const page = eventsPage({ 'sequence.low': { about: 'sequence', en: 'Runs low', es: 'Se agota' }, ping: { about: 'webhook', en: 'A test', es: 'Una prueba' } }, {
      components: {
        schemas: {
          EventData: { properties: { sequence: { $ref: '#/components/schemas/S' }, webhook: { $ref: '#/components/schemas/W' } } },
          S: { properties: { a: {}, b: {} }, required: ['a', 'b'] },
          W: { properties: { id: {}, reason: {}, url: {} }, required: ['url', 'id'] },
        },
      },
    });
    expect(page).toContain('| `sequence.low` | `sequence` | Runs low. | Se agota. |\n| `ping` | `webhook` |');
    expect(page.match(/^\| `data\..*$/gm)).toEqual(['| `data.sequence` | `a`, `b` |', '| `data.webhook` | `id`, `url`; where it was switched off also `reason` |']);
  });

  it('draw every move and mark final states', () => {
    const state = { meaning: 'm', final: false, ambiguous: false, step: null, lostLease: null, actions: [], moves: {} };
    const page = lifecyclePage({ START: { ...state, moves: { go: 'END' } }, END: { ...state, final: true } });
    expect(page).toContain('  [*] --> START\n  START --> END: go\n  END --> [*]\n');
    expect(page).toContain('| END | m | final |');
  });

  it('group rules by the first word of their id', () => {
    const rule = { severity: 'error', es: 'no', en: 'not | so', reference: 'Ficha' };
    const page = rulesPage([{ ...rule, id: 'line.quantity' }, { ...rule, id: 'schema', severity: 'warning' }, { ...rule, id: 'line.tax' }]);
    expect(page).toContain('3 rules');
    expect(page.match(/^## .*$/gm)).toEqual(['## line', '## schema']);
    expect(page).toContain('| `line.quantity` | error | no | not \\| so | Ficha |\n| `line.tax` | error |');
    expect(page).toContain('| `schema` | warning | no |');
  });

  it('show tables and functions by subject, each under its comment', () => {
    const page = schemaPage('Functions', [
      { name: 'send', comment: `Mails: Sends a mail. ${'It waits. '.repeat(20)}`, sql: 'create function send();\n' },
      { name: 'issue', comment: 'Issuing: Takes a number.', sql: 'create function issue();\n' },
      { name: 'bounce', comment: 'Mails: Notes that one came back.', sql: 'create function bounce();\n' },
      { name: 'new', comment: null, sql: 'create function new();\n' },
    ]);
    expect(page).toContain('-- Issuing: issue\n-- Mails: bounce, send\n-- Others: new\n');
    expect(page).toContain('-- ===== Issuing\n\n-- Takes a number.\ncreate function issue();\n\n\n-- ===== Mails\n\n-- Notes that one came back.\ncreate function bounce();\n\n-- Sends a mail. It');
    expect(page.endsWith('-- ===== Others\n\ncreate function new();\n')).toBe(true);
    expect(Math.max(...page.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  it('describe every schema that the interface description refers to', () => {
    const text = readFileSync('docs/openapi.json', 'utf8');
    const { components } = JSON.parse(text) as { components: { schemas: Record<string, unknown> } };
    const named = [...text.matchAll(/"\$ref": "#\/components\/schemas\/([^"]*)"/g)].map(([, name]) => name);
    expect(named).toEqual(expect.arrayContaining(['DocumentLineCreate', 'DocumentTaxCreate', 'Transport', 'Withholding']));
    for (const name of named) expect(Object.keys(components.schemas)).toContain(name);
  });

  it('show who holds each permission and which routes demand it', () => {
    const page = accessPage({
      paths: { '/tenant': { get: { 'x-permission': 'tenant:read' }, patch: { 'x-permission': 'tenant:write' } }, '/auth/me': { get: { 'x-signed-in': true } }, '/health/live': { get: {} } },
    });
    expect(page).toContain('| `tenant:write` | yes |  |  |  |  |  | yes |');
    expect(page).toContain('| `tenant:write` | `PATCH /tenant` |');
    expect(page).toContain('| any signed-in person | `GET /auth/me` |\n| none | `GET /health/live` |');
    expect(page).not.toContain('| `platform:write` | `');
  });
});
