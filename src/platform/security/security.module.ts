import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { RouteDeclarations } from './route-declarations.js';

/** Deny by default: the boot check of routes. The guards themselves are bound, in order, by the HTTP module. */
@Module({ imports: [DiscoveryModule], providers: [RouteDeclarations], exports: [RouteDeclarations] })
export class SecurityModule {}
