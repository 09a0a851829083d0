import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { WorkerModule } from './worker.module.js';
import { readSettings } from './config/settings.js';
import { OperatorsDoor } from './platform/observability/operators-door.js';
import { nestLogger } from './platform/observability/nest-logger.js';
import { announceReady, endWhileStarting, failToStart, tellUnhandled } from './platform/process.js';

/** The worker process: brings accepted documents to the SRI. */
async function start(): Promise<void> {
  endWhileStarting();
  const settings = readSettings();
  const app = await NestFactory.createApplicationContext(WorkerModule.with(settings), { bufferLogs: true, abortOnError: false });
  app.useLogger(nestLogger(app));
  tellUnhandled(app);
  await app.init();
  announceReady(app, { metricsUrl: app.get(OperatorsDoor).url });
}

start().catch(failToStart);
