import { Injectable, type OnModuleInit, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { PERMISSION_KEY, PUBLIC_KEY, SIGNED_IN_KEY } from './access.js';
import type { Permission } from './permissions.js';

/** One route and what it demands of its caller: a permission, or a signed-in person, or (neither) nothing. */
export interface DeclaredRoute {
  readonly method: string;
  readonly path: string;
  readonly permission: Permission | null;
  readonly signedIn: boolean;
}

/**
 * Knows every route of the application, and stops the boot when one does not declare exactly one of
 * `@RequirePermission`, `@SignedIn` and `@Public`.
 */
@Injectable()
export class RouteDeclarations implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  onModuleInit(): void {
    const unclear = this.scan().filter(({ permission, signedIn, isPublic }) => [permission !== undefined, signedIn, isPublic].filter(Boolean).length !== 1);
    if (unclear.length > 0) {
      throw new Error(`routes without exactly one of @RequirePermission, @SignedIn and @Public: ${unclear.map((route) => route.handler).join(', ')}`);
    }
  }

  /** All routes with their demands. */
  routes(): readonly DeclaredRoute[] {
    return this.scan().map(({ method, path, permission, signedIn }) => ({ method, path, permission: permission ?? null, signedIn }));
  }

  private scan() {
    return this.discovery.getControllers().flatMap(({ instance, metatype }) => {
      if (typeof instance !== 'object' || instance === null || typeof metatype !== 'function') return [];
      const prototype = Object.getPrototypeOf(instance) as Record<string, unknown>;
      return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
        const handler = prototype[name];
        const path: unknown = typeof handler === 'function' ? Reflect.getMetadata(PATH_METADATA, handler) : undefined;
        if (typeof handler !== 'function' || path === undefined) return [];
        const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod;
        const where = [handler, metatype];
        return [
          {
            method: RequestMethod[method],
            path: joinPath(Reflect.getMetadata(PATH_METADATA, metatype), path),
            permission: this.reflector.getAllAndOverride<Permission | undefined>(PERMISSION_KEY, where),
            signedIn: this.reflector.getAllAndOverride<boolean | undefined>(SIGNED_IN_KEY, where) === true,
            isPublic: this.reflector.getAllAndOverride<boolean | undefined>(PUBLIC_KEY, where) === true,
            handler: `${metatype.name}.${name}`,
          },
        ];
      });
    });
  }
}

const joinPath = (controller: unknown, method: unknown): string =>
  `/${[controller, method].flatMap((part) => String(part).split('/')).filter((part) => part !== '').join('/')}`;
