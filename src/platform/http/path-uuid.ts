import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { echo, ValidationFailure } from './validation-failure.js';
import { uuidOf } from './fields.js';

/** A UUID in the path, lower-cased; anything else is a failed validation (422), the same on every route. */
@Injectable()
export class PathUuid implements PipeTransform<unknown, string> {
  transform(value: unknown, { data }: ArgumentMetadata): string {
    const uuid = uuidOf(value);
    if (uuid !== null) return uuid;
    throw new ValidationFailure([{ loc: ['path', data ?? 'id'], type: 'uuid_parsing', input: echo(value), ctx: {} }]);
  }
}
