import { projectRoot } from '../platform/embedded/compiled-module.js';
import { join } from 'node:path';
import { startServiceProcess, type ServiceProcess } from './service-process.js';

/** Built entry files of the service's processes, below `dist`. */
const ENTRY = {
  api: join('bundle', 'main.js'),
  worker: join('bundle', 'worker.js'),
  simulator: join('src', 'simulator', 'main.js'),
  'identity-provider': join('src', 'identity-provider', 'main.js'),
  migrate: join('src', 'migrate.js'),
} as const;

export type Part = keyof typeof ENTRY;

/** Path of a part's built entry file. */
export function entryOf(part: Part): string {
  return join(projectRoot(import.meta.url), 'dist', ENTRY[part]);
}

/** Names that every process needs from its surroundings: none of them changes what it does. */
const SURROUNDINGS = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY', 'SRI_REFERENCE_DIR'] as const;

/** The part of the own environment that a child process may see. */
export function surroundings(): Record<string, string> {
  const present = SURROUNDINGS.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(present.filter((entry): entry is readonly [(typeof SURROUNDINGS)[number], string] => entry[1] !== undefined));
}

/** Where one part writes its log. */
export function logOf(logFolder: string, name: string): string {
  return join(logFolder, `${name}.log`);
}

/** Settings of the services that stand for the SRI, below one base address. */
export function sriUrls(base: string): Record<'SRI_RECEPTION_URL' | 'SRI_AUTHORIZATION_URL' | 'SRI_CONSULTATION_URL' | 'SRI_REGISTRY_URL', string> {
  const services = `${base}/comprobantes-electronicos-ws`;
  return {
    SRI_RECEPTION_URL: `${services}/RecepcionComprobantesOffline`,
    SRI_AUTHORIZATION_URL: `${services}/AutorizacionComprobantesOffline`,
    SRI_CONSULTATION_URL: `${services}/ConsultaComprobante`,
    SRI_REGISTRY_URL: `${base}/sri-catastro-sujeto-servicio-internet/rest`,
  };
}

/** The simulator's own settings, where the caller gave some. */
function simulatorSettings(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[0].startsWith('SIMULATOR_') && entry[1] !== undefined),
  );
}

/** Starts the SRI simulator on a port of 127.0.0.1; 0 picks a free one. */
export async function startSimulator(port: number, logFolder: string, env: Record<string, string> = {}): Promise<ServiceProcess> {
  return startServiceProcess({
    name: 'SRI simulator',
    module: entryOf('simulator'),
    env: { ...surroundings(), ...simulatorSettings(), SIMULATOR_HOST: '127.0.0.1', SIMULATOR_PORT: String(port), ...env },
    logFile: logOf(logFolder, 'simulator'),
  });
}

const CLIENT = { id: 'sello-local', secret: 'sello-local-secret' } as const;

/** Starts the identity provider that stands in for Google on a port of 127.0.0.1; 0 picks a free one. */
export async function startIdentityProvider(port: number, logFolder: string): Promise<ServiceProcess> {
  return startServiceProcess({
    name: 'identity provider',
    module: entryOf('identity-provider'),
    env: {
      ...surroundings(),
      IDENTITY_PROVIDER_HOST: '127.0.0.1',
      IDENTITY_PROVIDER_PORT: String(port),
      IDENTITY_PROVIDER_CLIENT_ID: CLIENT.id,
      IDENTITY_PROVIDER_CLIENT_SECRET: CLIENT.secret,
    },
    logFile: logOf(logFolder, 'identity-provider'),
  });
}

/** Settings of the sign-in with Google that lead to the provider below one base address. */
export function googleSettings(base: string): Record<string, string> {
  return {
    GOOGLE_CLIENT_ID: CLIENT.id,
    GOOGLE_CLIENT_SECRET: CLIENT.secret,
    GOOGLE_ISSUER: base,
    GOOGLE_AUTHORIZATION_URL: `${base}/authorize`,
    GOOGLE_TOKEN_URL: `${base}/token`,
    GOOGLE_JWKS_URL: `${base}/jwks`,
  };
}

/**
 * Options of Node for the HTTP process. Objects of a request live as long as the request: if the space for new objects
 * begins small (Node's 1 MB), many are copied several times before they die.
 */
export const API_NODE_OPTIONS = ['--min-semi-space-size=16'] as const;

/** Starts the HTTP process. */
export async function startApi(env: Record<string, string>, logFolder: string, name = 'api'): Promise<ServiceProcess> {
  return startServiceProcess({
    name: 'API',
    module: entryOf('api'),
    nodeOptions: API_NODE_OPTIONS,
    env: { ...surroundings(), ...env },
    logFile: logOf(logFolder, name),
  });
}

/** Starts a worker process. */
export async function startWorker(env: Record<string, string>, logFolder: string, name = 'worker'): Promise<ServiceProcess> {
  return startServiceProcess({
    name: 'worker',
    module: entryOf('worker'),
    env: { ...surroundings(), ...env },
    logFile: logOf(logFolder, name),
  });
}
