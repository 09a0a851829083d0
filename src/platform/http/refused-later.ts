import type { Settings } from '../../config/settings.js';
import type { DtoClass } from './field-spec.js';
import { ValidationFailure } from './validation-failure.js';

/** A fault that a use case finds in fields that are sound by themselves: the field, and type and parameters of the failure. */
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
 * faulty fields never reaches the use case, and its answer must have all findings all the same (decisions, section 2). This
 * never decides whether a request is refused: one without any other fault is refused by the use case, with its own code.
 * @param judge its findings at a field that is faulty already are dropped
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

/** The refusal of a use case for such faults. @param inputOf the given value of a field, to be echoed; null for a secret */
export const laterRefusal = (source: string, faults: readonly LaterFault[], inputOf: (field: string) => unknown = () => null): ValidationFailure =>
  new ValidationFailure(faults.map(({ field, type, ctx }) => ({ loc: [source, field], type, input: inputOf(field), ctx })));
