import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ApiModule } from './app.module.js';
import { readServiceSettings } from './config/settings.js';
import { describeInterface } from './interface-description.js';
import { configureHttp } from './platform/http/configure.js';
import { listenProblem } from './platform/listen-problem.js';
import { createLogger } from './platform/observability/logger.js';
import { ManagementServer } from './platform/observability/management-server.js';
import { nestLogger } from './platform/observability/nest-logger.js';
import { announceReady, exitAtOnceUntilReady, failToStart, handleUncaughtErrors } from './platform/process.js';
import { doubtOfProviderRuc } from './platform/provider-ruc.js';

/** The HTTP process: takes documents in and answers questions about them. */
async function start(): Promise<void> {
  exitAtOnceUntilReady();
  const settings = readServiceSettings('master', 'token');
  const doubt = doubtOfProviderRuc(settings);
  const logger = createLogger(settings.LOG_LEVEL);
  handleUncaughtErrors(logger);
  if (doubt !== null) logger.warn(doubt);
  if (settings.APP_ENV === 'production' && settings.PROVIDER_RUC === undefined) {
    logger.warn('PROVIDER_RUC is not set: documents name no platform, which is right for those alone who issue their own (ficha técnica 2.34, annex 26)');
  }
  const app = await NestFactory.create<NestExpressApplication>(ApiModule.with(settings), { bodyParser: false, logger: nestLogger(logger), abortOnError: false });
  configureHttp(app, () => describeInterface(app, settings));
  // Apart from init, so that only failures to listen are reported as such.
  await app.init();
  await app.listen(settings.PORT, settings.HOST).catch((error: unknown) => {
    throw listenProblem(error, settings.HOST, settings.PORT);
  });
  announceReady(app, { url: (await app.getUrl()).replace('[::1]', '127.0.0.1'), metricsUrl: app.get(ManagementServer).url });
}

start().catch(failToStart);
