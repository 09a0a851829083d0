import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ReferenceController } from './reference.controller.js';
import { GetReferenceTableHandler } from './use-cases/get-reference-table.js';

/** The SRI's code tables for callers. */
@Module({ imports: [CqrsModule], controllers: [ReferenceController], providers: [GetReferenceTableHandler] })
export class ReferenceModule {}
