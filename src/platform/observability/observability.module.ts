import { Global, Module } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { createLogger, LOGGER } from './logger.js';

/** The JSON log of the process. */
@Global()
@Module({
  providers: [{ provide: LOGGER, inject: [SETTINGS], useFactory: (settings: Settings) => createLogger(settings.LOG_LEVEL) }],
  exports: [LOGGER],
})
export class ObservabilityModule {}
