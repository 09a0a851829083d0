import { Global, Module } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { createLogger, LOGGER } from './logger.js';
import { Meters } from './meters.js';

/** The JSON log of the process, and what it counts. */
@Global()
@Module({
  providers: [{ provide: LOGGER, inject: [SETTINGS], useFactory: (settings: Settings) => createLogger(settings.LOG_LEVEL) }, Meters],
  exports: [LOGGER, Meters],
})
export class ObservabilityModule {}
