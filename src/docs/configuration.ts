import { z } from 'zod';
import { LONGEST_SPAN, LONGEST_TIMER_SECONDS } from '../config/setting-kinds.js';
import { generatedFrom, table } from './markdown.js';

/** One setting as a reader sees it. */
export interface SettingFacts {
  readonly name: string;
  readonly description: string;
  /** What it is when not set; null: nothing. */
  readonly fallback: string | null;
  readonly required: boolean;
}

/** Settings that only the commands for one machine read (`npm start`, `npm run demo`, `npm run simulator`). */
export const LOCAL_SETTINGS: readonly SettingFacts[] = [
  {
    name: 'SELLO_DATA_DIR',
    description: 'npm start: folder of the embedded database, keys, logs and signed documents',
    fallback: '.sello',
    required: false,
  },
  {
    name: 'POSTGRES_BIN',
    description: 'npm start, tests and benchmarks: folder of `initdb` and `postgres`, 15 or later, to use instead of those of the npm package',
    fallback: null,
    required: false,
  },
  { name: 'MAILBOX_PORT', description: 'npm start: port of the page that shows what was mailed', fallback: '8091', required: false },
  { name: 'IDENTITY_PROVIDER_PORT', description: 'npm start: port of the identity provider that stands in for Google', fallback: '8090', required: false },
  { name: 'SIMULATOR_HOST', description: 'SRI simulator: address it listens on', fallback: '127.0.0.1', required: false },
  { name: 'SIMULATOR_PORT', description: 'SRI simulator: port; 0 picks a free one', fallback: '8089', required: false },
  {
    name: 'SIMULATOR_PROCESSING_MS',
    description: 'SRI simulator: milliseconds between reception and decision, or a range',
    fallback: '0-300',
    required: false,
  },
  {
    name: 'SIMULATOR_JOURNAL',
    description: 'SRI simulator by itself: file that keeps what it received and decided for its next start; `npm start` has one in its data folder',
    fallback: null,
    required: false,
  },
  {
    name: 'SRI_REFERENCE_DIR',
    description: "Tests and simulator: folder with the SRI's official schemas below `xsd/`, to hold documents against them too",
    fallback: null,
    required: false,
  },
];

/** Name, meaning and default of each setting of a schema, in its order. */
export function settingsOf(schema: z.ZodObject): readonly SettingFacts[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    const type = field as z.ZodType;
    const absent = type.safeParse(undefined);
    return {
      name,
      description: descriptionOf(type) ?? '',
      fallback: absent.success ? shown(absent.data) : null,
      required: !absent.success,
    };
  });
}

/** The description may stand on the type inside a default or an optional. */
function descriptionOf(type: z.ZodType): string | undefined {
  if (type.description !== undefined) return type.description;
  const { innerType, in: input } = type.def as { innerType?: z.ZodType; in?: z.ZodType };
  const inner = innerType ?? input;
  return inner === undefined ? undefined : descriptionOf(inner);
}

function shown(value: unknown): string | null {
  if (value === undefined || value === '') return null;
  return Array.isArray(value) ? value.join(',') : `${value as string | number | boolean}`;
}

/** `docs/configuration.md`. */
export function configurationPage(service: readonly SettingFacts[], local: readonly SettingFacts[]): string {
  const rows = (settings: readonly SettingFacts[]) =>
    settings.map(({ name, fallback, required, description }) => [
      `\`${name}\``,
      required ? 'required' : fallback === null ? '' : `\`${fallback}\``,
      description,
    ]);
  const head = ['Setting', 'Default', 'Meaning'];
  return [
    generatedFrom('Configuration', '`src/config/settings.ts`'),
    'All settings are environment variables, checked once at start; a process names every wrong or missing one and ends.',
    '',
    `Times that are waited for, such as time-outs, leases and ladders, are ${LONGEST_TIMER_SECONDS.toLocaleString('en')} seconds (${Math.floor(LONGEST_TIMER_SECONDS / 86_400)} days) at most.`,
    `Spans that are only compared with the clock, such as how old something may be, are a hundred years at most (${Object.entries(LONGEST_SPAN).map(([unit, most]) => `${most.toLocaleString('en')} ${unit}`).join(', ')}).`,
    '',
    table(head, rows(service)),
    '',
    '## One machine, tests, simulator',
    '',
    '`npm start` and `npm run demo` supply DATABASE_URL, REDIS_URL, SRI_*_URL, SMTP_URL, GOOGLE_*, the master key and the token key themselves; each that is set replaces the embedded part.',
    '',
    table(head, rows(local)),
    '',
  ].join('\n');
}

/** `.env.example`: every setting, explained, with its default; what has none is commented out. */
export function environmentExample(service: readonly SettingFacts[], local: readonly SettingFacts[]): string {
  const block = ({ name, description, fallback, required }: SettingFacts) => {
    const sample = EXAMPLES[name];
    if (required) return `# ${description} (required)\n${name}=${shellWord(sample ?? '')}`;
    return `# ${description}\n#${name}=${shellWord(fallback ?? sample ?? '')}`;
  };
  return [
    '# Settings of the service. Generated by `npm run docs` from src/config/settings.ts; copy to .env and edit.',
    "# To use: set -a; . ./.env; set +a. Leave values in single quotes: a shell breaks off at & or # and takes $ for its own.",
    ...service.map((setting) => `\n${block(setting)}`),
    '\n# --- One machine, tests, simulator: nothing that a deployed process reads',
    ...local.map((setting) => `\n${block(setting)}`),
    '',
  ].join('\n');
}

/** A value as a shell takes it for one word, whatever stands in it: who puts an address in its place finds it quoted. */
const shellWord = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`;

/** Shape of a value where the default does not show it. Nothing here is a secret. */
const EXAMPLES: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgresql://sello_service:password@localhost:5432/sello',
  DATABASE_OWNER_URL: 'postgresql://sello_owner:password@localhost:5432/sello',
  REDIS_URL: 'redis://localhost:6379',
  SRI_RECEPTION_URL: 'http://localhost:8089/comprobantes-electronicos-ws/RecepcionComprobantesOffline',
  SRI_AUTHORIZATION_URL: 'http://localhost:8089/comprobantes-electronicos-ws/AutorizacionComprobantesOffline',
  SRI_CONSULTATION_URL: 'http://localhost:8089/comprobantes-electronicos-ws/ConsultaComprobante',
  SRI_REGISTRY_URL: 'https://srienlinea.sri.gob.ec/sri-catastro-sujeto-servicio-internet/rest',
  PUBLIC_URL: 'https://api.example',
  PANEL_URL: 'https://panel.example',
  ALLOWED_ORIGINS: 'https://panel.example',
  TRUSTED_PROXIES: '10.0.0.0/8',
  TOKEN_KEYS_FILE: '/run/secrets/sello-token-keys',
  SMTP_URL: 'smtps://user:password@mail.example:465',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
  MASTER_KEY_FILE: '/run/secrets/sello-master-key',
};
