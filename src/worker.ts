import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { WorkerModule } from './worker.module.js';
import { readServiceSettings } from './config/settings.js';
import { createLogger } from './platform/observability/logger.js';
import { ManagementServer } from './platform/observability/management-server.js';
import { nestLogger } from './platform/observability/nest-logger.js';
import { announceReady, exitAtOnceUntilReady, failToStart, handleUncaughtErrors } from './platform/process.js';
import { doubtOfProviderRuc } from './platform/provider-ruc.js';

/** The worker process: brings accepted documents to the SRI. */
async function start(): Promise<void> {
  exitAtOnceUntilReady();
  const settings = readServiceSettings('master');
  const doubt = doubtOfProviderRuc(settings);
  const logger = createLogger(settings.LOG_LEVEL);
  handleUncaughtErrors(logger);
  if (doubt !== null) logger.warn(doubt);
  const app = await NestFactory.createApplicationContext(WorkerModule.with(settings), { logger: nestLogger(logger), abortOnError: false });
  await app.init();
  announceReady(app, { metricsUrl: app.get(ManagementServer).url });
}

start().catch(failToStart);
