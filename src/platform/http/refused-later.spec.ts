import 'reflect-metadata';
import type { Settings } from '../../config/settings.js';
import { Integer, Secret, Text } from './fields.js';
import { RefusedLater } from './refused-later.js';
import { ValidationFailure } from './validation-failure.js';
import { validateAs } from './validation.pipe.js';

@RefusedLater<Rated>(({ code, price, key }, { STRICT_RUC_CHECK }) => [
  ...(code === 'known' && !STRICT_RUC_CHECK ? [] : [{ field: 'code', type: 'code_unknown', ctx: { table: 'codes' } }]),
  ...(price === undefined ? [{ field: 'price', type: 'missing', ctx: {} }] : []),
  ...(key === 'weak' ? [{ field: 'key', type: 'weak_password', ctx: {} }] : []),
])
class Rated {
  @Text({ max: 5 }) code: string;
  @Integer({ min: 0, max: 9, optional: true }) price?: number;
  @Secret({ max: 8, optional: true }) key?: string;
}

describe('what a use case refuses', () => {
  const found = (body: object, settings: Settings | null = { STRICT_RUC_CHECK: false } as Settings): unknown[] => {
    try {
      validateAs(Rated, body, 'body', settings);
    } catch (error) {
      if (error instanceof ValidationFailure) return error.findings.map(({ loc, type, input }) => [loc.join('.'), type, input]);
      throw error;
    }
    return [];
  };

  it('is told beside the faults of fields, of sound fields only, and no secret with it', () => {
    expect(found({ code: ' odd ', price: -1, key: 'weak' })).toEqual([['body.price', 'greater_than_equal', -1], ['body.code', 'code_unknown', 'odd'], ['body.key', 'weak_password', null]]);
    expect(found({ code: 'far too long', key: 'weak' })).toEqual([['body.code', 'string_too_long', 'far too long'], ['body.price', 'missing', null], ['body.key', 'weak_password', null]]);
    expect(found({ code: 'known', price: 1, other: 1 })).toEqual([['body.other', 'extra_forbidden', null]]);
    expect(found({ code: 'known', price: -1 }, { STRICT_RUC_CHECK: true } as Settings)).toEqual([['body.price', 'greater_than_equal', -1], ['body.code', 'code_unknown', 'known']]);
  });

  it('is left to it where the fields have no fault, and where none follows', () => {
    expect(found({ code: 'odd' })).toEqual([]);
    expect(found({ code: 'odd', price: -1 }, null)).toEqual([['body.price', 'greater_than_equal', -1]]);
  });
});
