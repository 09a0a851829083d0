import { Module } from '@nestjs/common';
import { SequenceNotices } from './notices/sequence-notices.js';
import { NoticesRepository } from './persistence/notices.repository.js';

/** Events, for the worker process: notices what nobody's act brings about. */
@Module({ providers: [NoticesRepository, SequenceNotices] })
export class EventsWorkerModule {}
