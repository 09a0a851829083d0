import type { Settings } from '../../config/settings.js';
import type { DtoClass } from './field-spec.js';
import { ValidationFailure } from './validation-failure.js';

/** What a use case refuses in fields each of which is sound: the field, and type and parameters of the failure. */
export interface LaterFault {
  readonly field: string;
  readonly type: string;
  readonly ctx: Readonly<Record<string, unknown>>;
}

/** Judges the fields of a request that are sound; one that is faulty or was left out is undefined. */
export type LaterJudge<T> = (given: Readonly<{ [Name in keyof T]?: T[Name] | undefined }>, settings: Settings) => readonly LaterFault[];

const KEY = Symbol('refused later');

/**
 * Declares on the DTO of a whole body or query what its use case refuses without looking at stored state. A request with
 * faulty fields never comes so far, and its answer tells all findings all the same (decisions, section 2). Whether a request is
 * refused is not for this to say: the use case refuses what has no other fault, with its own code.
 * @param judge what it finds at a field that is faulty already is not told
 */
export function RefusedLater<T extends object>(judge: LaterJudge<T>): (type: new () => T) => void {
  return ({ prototype }) => {
    Reflect.defineMetadata(KEY, judge, prototype as object);
  };
}

/** What the use case of this DTO would refuse; nothing for a DTO that declares nothing. */
export function laterFaults(type: DtoClass, given: object, settings: Settings): readonly LaterFault[] {
  const judge = Reflect.getMetadata(KEY, type.prototype as object) as LaterJudge<object> | undefined;
  return judge?.(given, settings) ?? [];
}

/** The refusal of a use case for such faults. @param inputOf what was given for a field, to be told; a secret is not */
export const laterRefusal = (source: string, faults: readonly LaterFault[], inputOf: (field: string) => unknown = () => null): ValidationFailure =>
  new ValidationFailure(faults.map(({ field, type, ctx }) => ({ loc: [source, field], type, input: inputOf(field), ctx })));
