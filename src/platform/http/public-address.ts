import type { AddressInfo } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import { type Settings, SETTINGS } from '../../config/settings.js';

/** To listen here is to listen on every address: none of them is a name to call. */
const EVERYWHERE = new Set(['0.0.0.0', '::', '[::]']);

/** Where callers reach this API, and whose pages may call it with a cookie. Never taken from a request. */
@Injectable()
export class PublicAddress {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly host: HttpAdapterHost,
  ) {}

  /** Base address of the API, without a slash at its end. */
  get base(): string {
    return withoutEnd(this.settings.PUBLIC_URL ?? this.listening());
  }

  /** Path under which browsers see this API, without a slash at its end: empty unless a proxy takes one off. */
  get path(): string {
    return withoutEnd(new URL(this.base).pathname);
  }

  /** Base address of the pages that mails lead to. */
  get panel(): string {
    return withoutEnd(this.settings.PANEL_URL ?? this.base);
  }

  /** Whether the pages have an address of their own. */
  get hasPanel(): boolean {
    return this.settings.PANEL_URL !== undefined;
  }

  /** True for an origin, as a browser writes it, of ours. */
  isOurs(origin: string): boolean {
    return origin === new URL(this.base).origin || this.settings.ALLOWED_ORIGINS.includes(origin);
  }

  private listening(): string {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    const bound = server.address() as AddressInfo | null;
    const { HOST } = this.settings;
    const host = EVERYWHERE.has(HOST) ? 'localhost' : HOST.includes(':') && !HOST.startsWith('[') ? `[${HOST}]` : HOST;
    return `http://${host}:${bound?.port ?? this.settings.PORT}`;
  }
}

const withoutEnd = (url: string): string => (url.endsWith('/') ? url.slice(0, -1) : url);
