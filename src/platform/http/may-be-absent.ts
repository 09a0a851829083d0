import { ApiExtension } from '@nestjs/swagger';
import type { DtoClass } from './field-spec.js';

const MARKED = 'sello:may-be-absent';

/** Marks the DTO of a body that a caller may leave out: none at all then means `{}`. Every other body is required. */
export const MayBeAbsent = (): ClassDecorator => (type) => {
  Reflect.defineMetadata(MARKED, true, type);
  // For the description of the API, which takes the word off again.
  ApiExtension('x-may-be-absent', true)(type);
};

/** True for a DTO that is marked itself, not by what it extends. */
export const mayBeAbsent = (type: DtoClass): boolean => Reflect.hasOwnMetadata(MARKED, type);
