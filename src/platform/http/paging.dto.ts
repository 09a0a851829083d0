import { Integer } from './fields.js';

/** Deepest page that a list answers; beyond it a filter serves the caller better. */
const MAX_PAGE = 100_000;

/** Query of every list: `page` and `page_size`. */
export class PageQuery {
  @Integer({ min: 1, max: MAX_PAGE, fromText: true, default: 1, about: 'Page number, from 1' }) page: number = 1;
  @Integer({ min: 1, max: 100, fromText: true, default: 20, about: 'Items per page' }) page_size: number = 20;
}
