import { existsSync, rmSync } from 'node:fs';
import { LocalError, readLocalOptions } from './options.js';

describe('options of npm start', () => {
  it('keep data in .sello and pass on the settings of the service alone', () => {
    const options = readLocalOptions([], { LOG_LEVEL: 'debug', PORT: '4000', REDIS_URL: '', OTHER: 'x' }, '/project');
    expect(options).toMatchObject({ demo: false, dataDir: '/project/.sello', documentsDir: '/project/.sello/documents', port: 4000 });
    expect(options.given).toEqual({ LOG_LEVEL: 'debug', PORT: '4000' });
  });

  it('throw the data of a demo away but keep its documents', () => {
    const options = readLocalOptions(['--demo'], { SELLO_DATA_DIR: '/data', PORT: '4000' }, '/project');
    expect(options).toMatchObject({ demo: true, documentsDir: '/data/demonstration', port: 0, simulatorPort: 0 });
    expect(existsSync(options.dataDir)).toBe(true);
    rmSync(options.dataDir, { recursive: true });
  });

  it.each([
    [['--fast'], {}, /--fast/],
    [[], { APP_ENV: 'production' }, /APP_ENV=production/],
    [[], { SRI_RECEPTION_URL: 'https://sri.example' }, /set both/],
    [[], { PORT: 'http' }, /PORT=http/],
    [[], { METRICS_PORT: '65536' }, /^METRICS_PORT: .*65535/],
    [[], { METRICS_PORT: '65535' }, /^METRICS_PORT: 65534 at most/],
    [[], { DATABASE_URL: 'postgresql://owner:p@ss/word@db.example/sello' }, /^DATABASE_URL: an address that begins with postgresql:\/\/, with special characters of its password percent-encoded \(@ as %40, [^@]*$/],
    [[], { REDIS_URL: 'redis://:p@ss/word@redis.example' }, /^REDIS_URL: redis:\/\/ or rediss:\/\/ and an address, with special characters of its password percent-encoded \(@ as %40, [^@]*$/],
  ])('refuse %j %j', (argv, environment, message) => {
    expect(() => readLocalOptions(argv, environment, '/project')).toThrow(LocalError);
    expect(() => readLocalOptions(argv, environment, '/project')).toThrow(message);
  });
});
