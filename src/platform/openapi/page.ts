import { ApiProperty } from '@nestjs/swagger';
import { MOST_COUNTED } from '../database/counting.js';
import { count } from './property-types.js';

abstract class PageOfSomeTotal {
  @ApiProperty(count) page: number;
  @ApiProperty(count) page_size: number;
}

/** What a page of a list has besides its rows. */
export abstract class Page extends PageOfSomeTotal {
  @ApiProperty(count) total: number;
}

/** A page of a list whose rows are counted up to a bound only. */
export abstract class BoundedPage extends PageOfSomeTotal {
  @ApiProperty({ ...count, maximum: MOST_COUNTED, description: `Counted up to ${MOST_COUNTED}; pages behind it can be read` }) total: number;
}
