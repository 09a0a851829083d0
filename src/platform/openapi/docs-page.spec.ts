import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { CLOCK } from '../../shared/ports.js';
import type { Description } from './description.js';
import { serveDocs } from './docs-page.js';
import { SAMPLE_DAY, sampleId } from './samples.js';

describe('the pages of the description', () => {
  let app: NestExpressApplication;
  let folder: string;
  let now: Date;
  let made: number;

  @Module({ providers: [{ provide: CLOCK, useValue: { now: () => now } }] })
  class Clocked {}

  beforeEach(async () => {
    [folder, now, made] = [mkdtempSync(join(tmpdir(), 'sello-docs-page-')), new Date('2027-01-31T12:00:00Z'), 0];
    app = await NestFactory.create<NestExpressApplication>(Clocked, { logger: false });
    const description = { openapi: '3.1.0', info: {}, paths: {}, 'x-day': SAMPLE_DAY, 'x-issuer': sampleId('issuer_id') };
    // Written out once for each text that is made of it.
    Object.defineProperty(description, 'toJSON', { value: () => ((made += 1), { ...description }), enumerable: false });
    serveDocs(app, () => description as unknown as Description, join(folder, 'ids.json'));
    await app.listen(0, '127.0.0.1');
  });
  afterEach(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });

  const get = async (path: string): Promise<[number, string | null, string]> => {
    const answer = await fetch(`http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}${path}`);
    return [answer.status, answer.headers.get('content-type'), await answer.text()];
  };

  it.each(['/openapi.json', '/docs/swagger-ui-init.js', '/docs-yaml'])('make %s once for a day and for the ids that exist', async (path) => {
    const first = await get(path);
    expect([first[0], first[2]]).toEqual([200, expect.stringContaining('2027-01-31')]);
    expect(await get(path)).toEqual(first);
    expect(await get(`${path}?again`)).toEqual(first);
    expect(made).toBe(1);
    now = new Date('2027-02-01T12:00:00Z');
    expect((await get(path))[2]).toContain('2027-02-01');
    writeFileSync(join(folder, 'ids.json'), JSON.stringify({ issuer_id: '11111111-1111-4111-8111-111111111111' }));
    expect((await get(path))[2]).toContain('11111111-1111-4111-8111-111111111111');
    await get(path);
    expect(made).toBe(3);
  });
});
