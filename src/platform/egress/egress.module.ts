import { Module } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { GuardedPost } from './guarded-post.js';
import { HostResolver, NameServerResolver, RESOLVER } from './resolver.js';

const resolver = {
  provide: RESOLVER,
  inject: [SETTINGS],
  useFactory: ({ APP_ENV }: Settings) => (APP_ENV === 'local' ? new HostResolver() : new NameServerResolver(null)),
};

/** Calls to addresses that tenants name. */
@Module({ providers: [resolver, GuardedPost], exports: [GuardedPost] })
export class EgressModule {}
