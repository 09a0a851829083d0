import { NestFactory } from '@nestjs/core';
import { ApiModule } from '../app.module.js';
import { readSettings } from '../config/settings.js';
import { describeInterface } from '../interface-description.js';

/** Any settings that pass the check: nothing is connected to. */
const SETTINGS = {
  DATABASE_URL: 'postgresql://localhost/sello',
  REDIS_URL: 'redis://localhost',
  SRI_RECEPTION_URL: 'http://localhost/reception',
  SRI_AUTHORIZATION_URL: 'http://localhost/authorization',
  MASTER_KEY: Buffer.alloc(32).toString('base64'),
};

/** `docs/openapi.json`: the interface description, out of the application's routes. No provider is created. */
export async function openApiDocument(): Promise<string> {
  const settings = readSettings(SETTINGS);
  const app = await NestFactory.create(ApiModule.with(settings), { preview: true, logger: false, abortOnError: false });
  return `${JSON.stringify(describeInterface(app, settings), null, 2)}\n`;
}
