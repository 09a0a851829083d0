import { connectAsOwner } from '../owner-client.js';

export interface NewLife {
  /** Names the new life: 8 hexadecimal digits that no earlier one had. */
  readonly lineage: string;
  readonly documentTypes: readonly string[];
  /** Numbers that every counter leaves out at least; 0: none, for nothing was lost. */
  readonly skip: number;
  readonly reason: string;
  readonly now: Date;
}

export interface RaisedCounter {
  readonly emission_point_id: string;
  readonly document_type: string;
  readonly from_number: number;
  readonly to_number: number;
}

/**
 * What every database needs that goes on from an earlier point, before it is served: numbers that may have been given out
 * behind that point are left out, with the reason, and places in the order of events begin anew.
 *
 * @param url owner of the schema
 * @returns the counters that were raised
 */
export async function beginNewLife(url: string, life: NewLife): Promise<RaisedCounter[]> {
  const client = await connectAsOwner(url, '-c search_path=sello -c timezone=UTC -c statement_timeout=0');
  try {
    await client.query('begin');
    const { rows } = await client.query<RaisedCounter>('select * from begin_new_life($1, $2, $3, $4, $5)', [life.lineage, life.documentTypes, life.skip, life.reason, life.now]);
    await client.query('select settle_restored_events()');
    await client.query('commit');
    return rows;
  } finally {
    await client.end();
  }
}
