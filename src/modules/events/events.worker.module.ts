import { Module } from '@nestjs/common';
import { SequenceNotices } from './notices/sequence-notices.js';
import { SequenceNoticesRepository } from './persistence/sequence-notices.repository.js';

/** Events, for the worker process: notices what nobody's act brings about. */
@Module({ providers: [SequenceNoticesRepository, SequenceNotices] })
export class EventsWorkerModule {}
