import { type DynamicModule, Global, Module } from '@nestjs/common';
import { type Settings, SETTINGS } from './settings.js';

/** Offers the validated settings to every module. */
@Global()
@Module({})
export class ConfigModule {
  static with(settings: Settings): DynamicModule {
    return { module: ConfigModule, providers: [{ provide: SETTINGS, useValue: settings }], exports: [SETTINGS] };
  }
}
