import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { WorkerModule } from './worker.module.js';
import { readServiceSettings } from './config/settings.js';
import { createLogger } from './platform/observability/logger.js';
import { OperatorsDoor } from './platform/observability/operators-door.js';
import { nestLogger } from './platform/observability/nest-logger.js';
import { announceReady, endWhileStarting, failToStart, tellUnhandled } from './platform/process.js';

/** The worker process: brings accepted documents to the SRI. */
async function start(): Promise<void> {
  endWhileStarting();
  const settings = readServiceSettings('master');
  const logger = createLogger(settings.LOG_LEVEL);
  tellUnhandled(logger);
  const app = await NestFactory.createApplicationContext(WorkerModule.with(settings), { logger: nestLogger(logger), abortOnError: false });
  await app.init();
  announceReady(app, { metricsUrl: app.get(OperatorsDoor).url });
}

start().catch(failToStart);
