import type { OnApplicationShutdown } from '@nestjs/common';
import { Agent, request } from 'undici';
import { boundedText } from '../../../platform/egress/bounded-text.js';
import type { Taxpayer } from '../domain/taxpayer.js';
import { readExists, readHeadOffice, readTaxpayer } from './registry-answers.js';
import { RegistryUnavailable, type TaxpayerRegistry } from './taxpayer-registry.js';

export interface RegistryClientOptions {
  /** Address up to `/rest`; null: there is none to ask. */
  readonly url: string | null;
  /** For all that is asked about one taxpayer. */
  readonly timeoutMs: number;
}

const MAX_ANSWER_BYTES = 1024 * 1024;
/** As many questions at once have a connection each, so that none waits for one while its deadline runs. */
export const REGISTRY_CONNECTIONS = 4;
/** The portal leaves calls without a browser's name unanswered. */
const USER_AGENT = 'Mozilla/5.0 (compatible; Sello)';

/**
 * Asks the registry over HTTP. It is the service behind a page of the SRI's portal: undocumented, without promises, at
 * times away. Hence one deadline for everything, no repetition, and only a plain `false` means that nobody has the RUC.
 */
export class SriRegistryClient implements TaxpayerRegistry, OnApplicationShutdown {
  private readonly agent = new Agent({ connections: REGISTRY_CONNECTIONS, pipelining: 1, connect: { minVersion: 'TLSv1.2' } });

  constructor(private readonly options: RegistryClientOptions) {}

  async find(ruc: string): Promise<Taxpayer | null> {
    const deadline = AbortSignal.timeout(this.options.timeoutMs);
    const taxpayer = readTaxpayer(await this.ask('ConsolidadoContribuyente/obtenerPorNumerosRuc', { ruc }, deadline), ruc);
    if (taxpayer === null) {
      if (readExists(await this.ask('ConsolidadoContribuyente/existePorNumeroRuc', { numeroRuc: ruc }, deadline))) {
        throw new RegistryUnavailable('the answer has no taxpayer although it exists');
      }
      return null;
    }
    return { ...taxpayer, ...readHeadOffice(await this.ask('Establecimiento/consultarPorNumeroRuc', { numeroRuc: ruc }, deadline)) };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.close();
  }

  private async ask(path: string, query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string> {
    const { url } = this.options;
    if (url === null) throw new RegistryUnavailable('no registry is set');
    try {
      const { statusCode, body } = await request(new URL(path, url.endsWith('/') ? url : `${url}/`), {
        query, signal, dispatcher: this.agent, headers: { accept: 'application/json', 'user-agent': USER_AGENT },
      });
      const text = await boundedText(body, MAX_ANSWER_BYTES);
      if (statusCode !== 200 && statusCode !== 204) throw new RegistryUnavailable(`the answer has status ${statusCode}`);
      return text;
    } catch (error) {
      if (error instanceof RegistryUnavailable) throw error;
      throw new RegistryUnavailable('there is no answer', { cause: error });
    }
  }
}
