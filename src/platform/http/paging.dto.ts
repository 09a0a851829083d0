import { Integer } from './fields.js';

/** Deepest page that a list answers; beyond it a filter serves the caller better. */
const MAX_PAGE = 100_000;

export const PAGE = { min: 1, max: MAX_PAGE, fromText: true, default: 1, about: 'Page number, from 1' } as const;
export const PAGE_SIZE = { min: 1, max: 100, fromText: true, default: 20, about: 'Items per page' } as const;

/** Query of every list: `page` and `page_size`. */
export class PageQuery {
  @Integer(PAGE) page: number = PAGE.default;
  @Integer(PAGE_SIZE) page_size: number = PAGE_SIZE.default;
}
