import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { SLEEPER, type Sleeper } from '../../shared/ports.js';
import { Meters } from '../observability/meters.js';
import { BoundEnvironment } from './bound-environment.js';
import { serviceDataSourceOptions } from './connection.js';
import { connectionProblem, isWorthRetrying } from './connection-problem.js';
import { ListReads } from './list-reads.js';
import { PoolGauge } from './pool-gauge.js';
import { ReplicaReads } from './replica-reads.js';
import { StandingCredential } from './standing-credential.js';
import { TenantTransaction } from './tenant-transaction.js';

async function connect(options?: DataSourceOptions): Promise<DataSource> {
  if (options === undefined) throw new TypeError('the connection needs its options');
  try {
    return await new DataSource(options).initialize();
  } catch (error) {
    throw connectionProblem(error);
  }
}

/** PostgreSQL: one pool per process, named after it, and one to a replica, reached only through TenantTransaction and ListReads. */
@Global()
@Module({})
export class DatabaseModule {
  static of(process: 'api' | 'worker'): DynamicModule {
    const connection = TypeOrmModule.forRootAsync({
      inject: [SETTINGS],
      useFactory: (settings: Settings) => ({
        ...serviceDataSourceOptions(settings.DATABASE_URL, process, settings.DATABASE_POOL_SIZE, settings.DATABASE_WAIT_SECONDS),
        retryAttempts: 5,
        retryDelay: 1_000,
        toRetry: isWorthRetrying,
      }),
      dataSourceFactory: connect,
    });
    const listReads = {
      provide: ListReads,
      inject: [SETTINGS, TenantTransaction, SLEEPER, Meters],
      useFactory: (settings: Settings, primary: TenantTransaction, sleeper: Sleeper, meters: Meters): ListReads =>
        settings.DATABASE_REPLICA_URL === undefined ? primary : new ReplicaReads(settings.DATABASE_REPLICA_URL, process, settings, primary, sleeper, meters),
    };
    return {
      module: DatabaseModule,
      imports: [connection],
      providers: [TenantTransaction, BoundEnvironment, PoolGauge, StandingCredential, listReads],
      exports: [TenantTransaction, ListReads, StandingCredential],
    };
  }
}
