import type { HttpAdapterHost } from '@nestjs/core';
import type { Settings } from '../../config/settings.js';
import { PublicAddress } from './public-address.js';

const LISTENING = { httpAdapter: { getHttpServer: () => ({ address: () => ({ port: 3000 }) }) } } as unknown as HttpAdapterHost;
const addressOf = (settings: Partial<Settings>): PublicAddress => new PublicAddress({ HOST: '127.0.0.1', ALLOWED_ORIGINS: [], ...settings } as unknown as Settings, LISTENING);

describe('the address of the API', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:3000'],
    ['0.0.0.0', 'http://localhost:3000'],
    ['::', 'http://localhost:3000'],
    ['::1', 'http://[::1]:3000'],
    ['[::1]', 'http://[::1]:3000'],
  ])('is where it listens, at %s, as browsers write it', (HOST, base) => {
    expect([addressOf({ HOST }).base, addressOf({ HOST }).path]).toEqual([base, '']);
  });

  it.each([
    ['https://api.example', ''],
    ['https://example.com/api', '/api'],
    ['https://example.com/api/', '/api'],
  ])('is that of the settings, with its path: %s', (PUBLIC_URL, path) => {
    expect(addressOf({ PUBLIC_URL }).path).toBe(path);
  });
});
