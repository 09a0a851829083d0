import { Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { Meters } from '../observability/meters.js';

/** Tells how many connections to PostgreSQL are in use, and how many wait for one. */
@Injectable()
export class PoolGauge {
  constructor(dataSource: DataSource, meters: Meters) {
    const pool = (): Pool => (dataSource.driver as unknown as { readonly master: Pool }).master;
    meters.gauge('databaseConnections', () => {
      const { totalCount, idleCount, waitingCount } = pool();
      return [
        { labels: { state: 'busy' }, value: totalCount - idleCount },
        { labels: { state: 'idle' }, value: idleCount },
        { labels: { state: 'waiting' }, value: waitingCount },
      ];
    });
    meters.gauge('databasePoolSize', () => [{ labels: {}, value: pool().options.max }]);
  }
}
