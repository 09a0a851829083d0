import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { SriBrain } from '../brain/brain.js';
import type { RegistryQuestion } from '../brain/public-registry.js';
import { deliver, send } from './transport.js';

interface RegistryPath {
  readonly question: RegistryQuestion;
  /** Name of the number in the query. */
  readonly parameter: string;
}

/** Where the portal has its registry. */
export const REGISTRY_BASE = '/sri-catastro-sujeto-servicio-internet/rest';

/** The simulated questions at the paths of the real ones, below the base. */
export const REGISTRY_PATHS: Readonly<Record<string, RegistryPath>> = {
  '/ConsolidadoContribuyente/existePorNumeroRuc': { question: 'exists', parameter: 'numeroRuc' },
  '/ConsolidadoContribuyente/obtenerPorNumerosRuc': { question: 'taxpayer', parameter: 'ruc' },
  '/Establecimiento/consultarPorNumeroRuc': { question: 'establishments', parameter: 'numeroRuc' },
};

const JSON_TYPE = 'application/json;charset=UTF-8';

/** Answers a question to the registry; false where the path is none of it. */
export async function serveRegistry(brain: SriBrain, url: URL, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const path = url.pathname.startsWith(`${REGISTRY_BASE}/`) ? REGISTRY_PATHS[url.pathname.slice(REGISTRY_BASE.length)] : undefined;
  if (path === undefined) return false;
  if (request.method !== 'GET') {
    send(response, { status: 405, contentType: JSON_TYPE, body: Buffer.alloc(0) });
    return true;
  }
  const { outcome, delayMs, transport } = brain.askRegistry(path.question, url.searchParams.get(path.parameter) ?? '');
  if (delayMs > 0) await wait(delayMs);
  if (transport === null && outcome?.body === undefined) {
    response.writeHead(204).end();
    return true;
  }
  await deliver(request, response, outcome === null ? '' : JSON.stringify(outcome.body), transport, JSON_TYPE);
  return true;
}
