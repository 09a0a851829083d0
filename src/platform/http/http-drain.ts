import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { SLEEPER, type Sleeper } from '../../shared/ports.js';
import { Shutdown } from '../shutdown/shutdown.js';

type HttpServer = ReturnType<NestExpressApplication['getHttpServer']>;

/** How often connections are closed whose last request was answered meanwhile; otherwise they would stay open for the next one. */
const SWEEP_EVERY_MS = 200;

/** Ends the HTTP server in good order: no new connections, an answer for each request under way, and an end for those that take too long. */
@Injectable()
export class HttpDrain implements OnModuleDestroy {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly shutdown: Shutdown,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
  ) {}

  onModuleDestroy(): void {
    const server = this.host.httpAdapter.getHttpServer() as HttpServer | undefined;
    if (server?.listening !== true) return;
    const closed = new AbortController();
    server.close(() => closed.abort());
    void this.sweep(server, closed.signal);
  }

  private async sweep(server: HttpServer, closed: AbortSignal): Promise<void> {
    while (!closed.aborted && !this.shutdown.timeIsUp.aborted) {
      server.closeIdleConnections();
      await this.sleeper.sleep(SWEEP_EVERY_MS, closed).catch(() => undefined);
    }
    if (!closed.aborted) server.closeAllConnections();
  }
}
