import { QueryFailedError } from 'typeorm';
import { isHindered } from './hindered.js';

const failed = (code: string): Error => new QueryFailedError('select', [], Object.assign(new Error('it failed'), { code }));

describe('PostgreSQL that could not do a statement', () => {
  it.each(['53100', '53300', '58030', '55P03', '40P01', '40001', '57P01', '57P02', '57P03', '25006', 'ECONNREFUSED', 'EAI_AGAIN'])('for %s could not do any', (code) => {
    expect(isHindered(failed(code))).toBe(true);
  });

  it('for want of a connection could not do any', () => {
    expect(isHindered(new Error('timeout exceeded when trying to connect'))).toBe(true);
  });

  it.each(['53200', '57014', 'ECONNRESET', '23505', '22P02'])('for %s may have failed for the statement itself', (code) => {
    expect(isHindered(failed(code))).toBe(false);
  });

  it('says nothing of other errors', () => {
    for (const error of [new Error('Connection terminated unexpectedly'), null, '55P03']) expect(isHindered(error)).toBe(false);
  });
});
