import { Module } from '@nestjs/common';
import { GuardedPost } from './guarded-post.js';
import { HostResolver, RESOLVER } from './resolver.js';

/** Calls to addresses that tenants name. */
@Module({ providers: [{ provide: RESOLVER, useClass: HostResolver }, GuardedPost], exports: [GuardedPost] })
export class EgressModule {}
