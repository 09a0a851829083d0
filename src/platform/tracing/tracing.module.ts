import { type DynamicModule, Module } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { type Logger, LOGGER } from '../observability/logger.js';
import { Shutdown } from '../shutdown/shutdown.js';
import { Tracing } from './tracing.js';

/** Traces of a process that serves, named after it. */
@Module({})
export class TracingModule {
  static of(process: 'api' | 'worker'): DynamicModule {
    const tracing = {
      provide: Tracing,
      inject: [SETTINGS, LOGGER, ModuleRef, Shutdown],
      useFactory: (settings: Settings, logger: Logger, modules: ModuleRef, shutdown: Shutdown) => Tracing.start(settings, process, logger, modules, shutdown),
    };
    return { module: TracingModule, providers: [tracing] };
  }
}
