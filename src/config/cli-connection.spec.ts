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

  it.each(['http://localhost:3055', 'http://127.8.0.1:3055', 'http://[::1]:3055'])('takes %s from the folder', (url) => {
    local('running.json', { pid: 1, url });
    expect(cliConnection({ key: 'mine' }, {}, folder)).toEqual({ url, apiKey: 'mine' });
  });

  it.each(['https://sello.example', 'http://10.0.0.7:3000', 'http://127.0.0.1@sello.example', 'http://127.0.0.1.example', 'http://localhost.example', 'http://[::2]:3000', 'file:///tmp', 'nonsense'])(
    'sends no key to %s because a file of the folder says so', (url) => {
      local('running.json', { pid: 1, url });
      expect(cliConnection({}, { SELLO_API_KEY: 'svc_live_mine' }, folder)).toEqual({ url: 'http://127.0.0.1:3000', apiKey: 'svc_live_mine' });
    });

  it('takes files that were cut short for missing', () => {
    writeFileSync(join(folder, '.sello', 'running.json'), '{"pid": 1, "url": "http://127.0.0.1:30');
    writeFileSync(join(folder, '.sello', 'demo.json'), '');
    expect(cliConnection({}, {}, folder)).toEqual({ url: 'http://127.0.0.1:3000', apiKey: null });
  });

  it('takes what is empty in the environment for not set', () => {
    local('running.json', { pid: 1, url: 'http://127.0.0.1:3055' });
    local('demo.json', { api_key: 'svc_test_demo' });
    expect(cliConnection({}, { SELLO_URL: '', SELLO_API_KEY: '', SELLO_DATA_DIR: '' }, folder)).toEqual({ url: 'http://127.0.0.1:3055', apiKey: 'svc_test_demo' });
  });

  it('is what options say, then the environment', () => {
    local('running.json', { pid: 1, url: 'http://127.0.0.1:3055' });
    const environment = { SELLO_URL: 'https://sello.example.com/', SELLO_API_KEY: 'svc_live_mine' };
    expect(cliConnection({}, environment, folder)).toEqual({ url: 'https://sello.example.com', apiKey: 'svc_live_mine' });
    expect(cliConnection({ url: 'http://127.0.0.1:1', key: 'other' }, environment, folder)).toEqual({ url: 'http://127.0.0.1:1', apiKey: 'other' });
  });
});
