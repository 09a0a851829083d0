import { QueryFailedError } from 'typeorm';
import { OWN_SQL_STATE } from './own-sql-state.js';
import { isStoreOutage } from './store-outage.js';

const failedQuery = (code: string): QueryFailedError => new QueryFailedError('select 1', [], Object.assign(new Error('refused'), { code }));

it('takes no refusal of the data for an outage', () => {
  for (const code of ['23505', '23503', '22P02', '42501', OWN_SQL_STATE.sequenceExhausted, 'P0001']) expect(isStoreOutage(failedQuery(code))).toBe(false);
});

it.each(['53300', '57P01', '25006'])('takes %s for an outage', (code) => {
  expect(isStoreOutage(failedQuery(code))).toBe(true);
});
