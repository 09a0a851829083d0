import { Global, Module } from '@nestjs/common';
import { KillPoints } from './kill-points.js';

/** Kill points for tests; inert unless the setting FAULTS names one. */
@Global()
@Module({ providers: [KillPoints], exports: [KillPoints] })
export class FaultsModule {}
