import 'reflect-metadata';
import { failureOf } from '../../../test/support/refused-fields.js';
import { PageQuery } from './paging.dto.js';
import { validateAs } from './validation.pipe.js';

describe('the page query', () => {
  it('reads plain digits and fills in the defaults', () => {
    expect(validateAs(PageQuery, {}, 'query')).toMatchObject({ page: 1, page_size: 20 });
    expect(validateAs(PageQuery, { page: '3', page_size: '100' }, 'query')).toMatchObject({ page: 3, page_size: 100 });
  });

  it.each(['0', '-1', '1.5', '1e9', '1000000000', 'NaN', '', ' 1', '0x1', ['1', '2'], { a: '1' }])('refuses page=%p', (page) => {
    expect(failureOf(PageQuery, { page }).findings).toHaveLength(1);
  });

  it.each(['0', '101', ''])('refuses page_size=%p', (size) => {
    expect(failureOf(PageQuery, { page_size: size }).findings).toHaveLength(1);
  });
});
