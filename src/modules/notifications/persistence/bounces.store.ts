import { DataSource } from 'typeorm';
import { serviceDataSourceOptions } from '../../../platform/database/connection.js';

/** Mails that came back, reported by another program than the service: it knows the mail and not its tenant. */
export class BouncesStore {
  private constructor(private readonly dataSource: DataSource) {}

  static async open(databaseUrl: string): Promise<BouncesStore> {
    return new BouncesStore(await new DataSource(serviceDataSourceOptions(databaseUrl, 'mail-bounce', 1)).initialize());
  }

  /** @returns false when there is no such mail */
  async record(mailId: string, reason: string, now: Date): Promise<boolean> {
    const [row] = await this.dataSource.query<{ known: boolean | null }[]>('select bounce_mail($1, $2, $3) as known', [mailId, reason, now]);
    return typeof row?.known === 'boolean';
  }

  async close(): Promise<void> {
    await this.dataSource.destroy();
  }
}
