import { Global, Module } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { createLogger, LOGGER } from './logger.js';
import { Meters } from './meters.js';
import { SigningSelfTest } from './signing-self-test.js';

/** The JSON log of the process, what it counts, and whether it can sign. */
@Global()
@Module({
  providers: [{ provide: LOGGER, inject: [SETTINGS], useFactory: (settings: Settings) => createLogger(settings.LOG_LEVEL) }, Meters, SigningSelfTest],
  exports: [LOGGER, Meters, SigningSelfTest],
})
export class ObservabilityModule {}
