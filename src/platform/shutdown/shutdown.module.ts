import { Global, Module } from '@nestjs/common';
import { Shutdown } from './shutdown.js';

/** The one clock that all parts of a stopping process go by. */
@Global()
@Module({ providers: [Shutdown], exports: [Shutdown] })
export class ShutdownModule {}
