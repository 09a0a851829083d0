import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { PUBLIC_KEY } from '../security/access.js';
import { BodyRoom } from './body-room.js';
import { addressOf } from './caller-address.js';
import { jsonBody, MAX_BODY_BYTES } from './json-body.js';
import type { ServiceRequest } from './service-request.js';

/** Largest body of a route that anybody may call: a form of a few fields. */
const MAX_PUBLIC_BODY_BYTES = 16_384;

/**
 * Reads the body, once it is known who sends it, that the sender calls no more often than it may and that the route is open to
 * it: reading and parsing is work, which is done for nobody else.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly room: BodyRoom,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<ServiceRequest>();
    const isPublic = this.reflector.getAllAndOverride<boolean | undefined>(PUBLIC_KEY, [context.getHandler(), context.getClass()]) === true;
    const { take, leave } = this.room.enter(request.tenant?.tenantId ?? request.person?.userId ?? addressOf(request));
    try {
      request.body = await jsonBody(request, http.getResponse<Response>(), isPublic ? MAX_PUBLIC_BODY_BYTES : MAX_BODY_BYTES, take);
    } finally {
      leave();
    }
    return true;
  }
}
