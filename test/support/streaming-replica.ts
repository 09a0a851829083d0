import { appendFileSync, chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../../src/operations/migrate.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded/postgres.js';
import { createServiceLogin } from '../../src/platform/embedded/service-login.js';

const DATABASE = 'sello';

/** A migrated PostgreSQL and another one that follows it by streaming replication. */
export class StreamingReplica {
  private constructor(
    private readonly folder: string,
    private readonly primary: EmbeddedPostgres,
    private readonly standby: EmbeddedPostgres,
    private readonly serviceLogin: string,
  ) {}

  static async start(): Promise<StreamingReplica> {
    const folder = mkdtempSync(join(tmpdir(), 'sello-replication-'));
    // The server may run as somebody else.
    chmodSync(folder, 0o711);
    const [first, second] = [join(folder, 'primary'), join(folder, 'standby')];
    const prepared = await startEmbeddedPostgres({ dataDir: first, database: DATABASE });
    const login = await migrate(prepared.url, () => undefined).then(() => createServiceLogin(prepared.url)).finally(() => prepared.stop());
    cpSync(first, second, { recursive: true, preserveTimestamps: true });
    const primary = await startEmbeddedPostgres({ dataDir: first });
    const { port, username, password } = new URL(primary.url);
    const cluster = join(second, 'cluster');
    // Copied with the mode of any new folder by Node 24, with which PostgreSQL does not start.
    chmodSync(cluster, 0o700);
    appendFileSync(join(cluster, 'postgresql.auto.conf'), `\nprimary_conninfo = 'host=127.0.0.1 port=${port} user=${username} password=${password}'\n`);
    writeFileSync(join(cluster, 'standby.signal'), '');
    const standby = await startEmbeddedPostgres({ dataDir: second });
    return new StreamingReplica(folder, primary, standby, login);
  }

  /** Addresses with the service's login. */
  get primaryUrl(): string {
    return this.at(this.primary, this.serviceLogin);
  }
  get standbyUrl(): string {
    return this.at(this.standby, this.serviceLogin);
  }

  /** One statement as the owner. */
  async query<Row extends pg.QueryResultRow>(where: 'primary' | 'standby', sql: string, parameters: unknown[] = []): Promise<Row[]> {
    const server = this[where];
    const client = new pg.Client({ connectionString: this.at(server, server.url), options: '-c search_path=sello,public' });
    await client.connect();
    try {
      return (await client.query<Row>(sql, parameters)).rows;
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    await this.standby.stop();
    await this.primary.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private at(server: EmbeddedPostgres, login: string): string {
    const url = new URL(login);
    url.port = new URL(server.url).port;
    url.pathname = `/${DATABASE}`;
    return url.href;
  }
}
