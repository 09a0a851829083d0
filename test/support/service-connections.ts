import { DataSource } from 'typeorm';
import { type Program, serviceDataSourceOptions } from '../../src/platform/database/connection.js';

/** Connections as the service opens them, but waited for longer: a machine that is busy with other tests is none of theirs. */
export const serviceConnections = (url: string, program: Program, poolSize: number): Promise<DataSource> =>
  new DataSource(serviceDataSourceOptions(url, program, poolSize, 60)).initialize();
