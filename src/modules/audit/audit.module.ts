import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { HttpModule } from '../../platform/http/http.module.js';
import { AuditController } from './audit.controller.js';
import { AuditLogRepository } from './persistence/audit-log.repository.js';
import { ListAuditLogHandler } from './use-cases/list-audit-log.js';

/** The audit log as the tenant reads it. */
@Module({ imports: [CqrsModule, HttpModule], controllers: [AuditController], providers: [AuditLogRepository, ListAuditLogHandler] })
export class AuditModule {}
