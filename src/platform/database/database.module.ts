import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { BoundEnvironment } from './bound-environment.js';
import { serviceDataSourceOptions } from './connection.js';
import { TenantTransaction } from './tenant-transaction.js';

/** PostgreSQL: one pool per process, reached only through TenantTransaction. */
@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [SETTINGS],
      useFactory: (settings: Settings) => ({
        ...serviceDataSourceOptions(settings.DATABASE_URL, settings.DATABASE_POOL_SIZE, settings.DATABASE_WAIT_SECONDS),
        retryAttempts: 5,
        retryDelay: 1_000,
      }),
    }),
  ],
  providers: [TenantTransaction, BoundEnvironment],
  exports: [TenantTransaction],
})
export class DatabaseModule {}
