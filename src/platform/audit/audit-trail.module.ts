import { Global, Module } from '@nestjs/common';
import { AuditTrail } from './audit-trail.js';

/** The audit log, for everything that acts for a tenant. */
@Global()
@Module({ providers: [AuditTrail], exports: [AuditTrail] })
export class AuditTrailModule {}
