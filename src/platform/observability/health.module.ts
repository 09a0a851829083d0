import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { HealthChecks } from './health-checks.js';
import { HealthController } from './health.controller.js';
import { SigningSelfTest } from './signing-self-test.js';

@Module({ imports: [HttpModule], controllers: [HealthController], providers: [HealthChecks, SigningSelfTest] })
export class HealthModule {}
