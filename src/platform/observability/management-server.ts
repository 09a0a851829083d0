import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { collectDefaultMetrics } from 'prom-client';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { listenProblem } from '../listen-problem.js';
import { HealthChecks } from './health-checks.js';
import { type Logger, LOGGER } from './logger.js';
import { Meters } from './meters.js';

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const json = (status: number, body: unknown): Answer => ({ status, type: 'application/json', body: JSON.stringify(body) });

/** Nobody honest needs longer to ask for one of three pages. */
const REQUEST_TIMEOUT_MS = 5_000;
const MAX_CONNECTIONS = 50;

/**
 * Shows operators how the process is, on a port of its own and without credentials: metrics for Prometheus, and health,
 * which a worker shows nowhere else. Answers until the process has ended its work.
 */
@Injectable()
export class ManagementServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | null = null;

  constructor(
    private readonly meters: Meters,
    private readonly health: HealthChecks,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'METRICS_PORT' | 'METRICS_HOST'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Where it listens; null when METRICS_PORT is not set. */
  get url(): string | null {
    const address = this.server?.address() as AddressInfo | null | undefined;
    if (!address) return null;
    return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.open();
  }

  /** Listens from now on; a process that has to wait before it starts may say so by then. */
  async open(): Promise<void> {
    const { METRICS_PORT: port, METRICS_HOST: host } = this.settings;
    if (port === undefined || this.server !== null) return;
    collectDefaultMetrics({ register: this.meters.registry });
    const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS }, (request, response) => void this.serve(request, response));
    server.maxConnections = MAX_CONNECTIONS;
    server.listen(port, host);
    await once(server, 'listening').catch((error: unknown) => {
      throw listenProblem(error, host, port, 'METRICS_');
    });
    this.server = server;
  }

  async onApplicationShutdown(): Promise<void> {
    const { server } = this;
    if (server === null) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, type, body } = await this.answer(request).catch((error: unknown) => {
      this.logger.error({ err: error }, 'operators were not answered');
      return json(500, { error: 'internal' });
    });
    response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body);
  }

  private async answer({ method, url = '' }: IncomingMessage): Promise<Answer> {
    if (method !== 'GET') return json(405, { error: 'only GET' });
    switch (url.split('?')[0]) {
      case '/metrics':
        return { status: 200, type: this.meters.registry.contentType, body: await this.meters.registry.metrics() };
      case '/health/live':
        return json(200, { status: 'ok' });
      case '/health/ready': {
        const readiness = await this.health.ready();
        return json(readiness.status === 'failing' ? 503 : 200, readiness);
      }
      default:
        return json(404, { error: 'try /metrics, /health/live or /health/ready' });
    }
  }
}
