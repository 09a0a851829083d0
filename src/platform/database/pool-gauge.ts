import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Meters } from '../observability/meters.js';
import { poolOf } from './pool-of.js';

/**
 * Tells how many connections of a pool are in use, and how many wait for one.
 * @param source null: it is not opened yet, and nothing is told
 */
export function tellPool(meters: Meters, database: 'primary' | 'replica', source: () => DataSource | null): void {
  meters.gauge('databaseConnections', () => {
    const opened = source();
    if (opened === null) return [];
    const { totalCount, idleCount, waitingCount } = poolOf(opened);
    return [
      { labels: { database, state: 'busy' }, value: totalCount - idleCount },
      { labels: { database, state: 'idle' }, value: idleCount },
      { labels: { database, state: 'waiting' }, value: waitingCount },
    ];
  });
  meters.gauge('databasePoolSize', () => {
    const opened = source();
    return opened === null ? [] : [{ labels: { database }, value: poolOf(opened).options.max }];
  });
}

/** Tells of the pool that every process has; who opens another tells of it there. */
@Injectable()
export class PoolGauge {
  constructor(dataSource: DataSource, meters: Meters) {
    tellPool(meters, 'primary', () => dataSource);
  }
}
