import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

/** The driver's pool of an opened connection: what the library keeps to itself, and prepared statements and figures need. */
export const poolOf = (dataSource: DataSource): Pool => (dataSource.driver as unknown as { readonly master: Pool }).master;
