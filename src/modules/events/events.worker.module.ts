import { Module } from '@nestjs/common';
import { SequenceNotices } from './notices/sequence-notices.js';
import { SequenceNoticesRepository } from './persistence/sequence-notices.repository.js';

/** Events, for the worker process: raises those that no act of a caller brings about. */
@Module({ providers: [SequenceNoticesRepository, SequenceNotices] })
export class EventsWorkerModule {}
