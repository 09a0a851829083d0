import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cliConnection } from './cli-connection.js';

describe('where the command line finds the service', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sello-cli-'));
    mkdirSync(join(folder, '.sello'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const local = (name: string, content: unknown): void => {
    writeFileSync(join(folder, '.sello', name), JSON.stringify(content));
  };

  it('is where the local one of this folder listens, as its demo company', () => {
    expect(cliConnection({}, {}, folder)).toEqual({ url: 'http://127.0.0.1:3000', apiKey: null });
    local('running.json', { pid: 1, url: 'http://127.0.0.1:3055' });
    local('demo.json', { api_key: 'svc_test_demo' });
    expect(cliConnection({}, {}, folder)).toEqual({ url: 'http://127.0.0.1:3055', apiKey: 'svc_test_demo' });
    local('running.json', { pid: 1, url: null });
    expect(cliConnection({}, {}, folder).url).toBe('http://127.0.0.1:3000');
  });

  it('is what options say, then the environment', () => {
    local('running.json', { pid: 1, url: 'http://127.0.0.1:3055' });
    const environment = { SELLO_URL: 'https://sello.example.com/', SELLO_API_KEY: 'svc_live_mine' };
    expect(cliConnection({}, environment, folder)).toEqual({ url: 'https://sello.example.com', apiKey: 'svc_live_mine' });
    expect(cliConnection({ url: 'http://127.0.0.1:1', key: 'other' }, environment, folder)).toEqual({ url: 'http://127.0.0.1:1', apiKey: 'other' });
  });
});
