import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { loadMigrations, migrationsFolder } from '../database/migrations.js';
import { Meters } from './meters.js';

export const PROCESS_NAME = Symbol('process name');

/** Digits of a migration's number, which ends its name. */
const NUMBER_LENGTH = 13;

export const serviceVersion = (): string => (JSON.parse(readFileSync(join(migrationsFolder(), '..', 'package.json'), 'utf8')) as { version: string }).version;

/** Tells what runs. */
@Injectable()
export class BuildInfo {
  constructor(meters: Meters, @Inject(PROCESS_NAME) process: string) {
    const newest = loadMigrations().map((migration) => new migration().name ?? '').at(-1) ?? '';
    const labels = { version: serviceVersion(), schema: newest.slice(-NUMBER_LENGTH), process };
    meters.gauge('buildInfo', () => [{ labels, value: 1 }]);
  }
}
