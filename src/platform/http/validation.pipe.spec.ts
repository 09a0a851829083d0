import 'reflect-metadata';
import type { Settings } from '../../config/settings.js';
import { Flag, OneOf } from './fields.js';
import { MayBeAbsent } from './may-be-absent.js';
import { FieldValidationPipe } from './validation.pipe.js';

class FlagDemanded {
  @Flag() on: boolean;
}

@MayBeAbsent()
class Absent {
  @OneOf(['a', 'b'], { default: 'a' }) letter: string = 'a';
}

class Change extends Absent {}

describe('the pipe', () => {
  const pipe = new FieldValidationPipe({ STRICT_RUC_CHECK: false } as Settings);

  it('takes an absent body for an empty one where it is marked so, and answers it as malformed elsewhere, also where no field is demanded', () => {
    expect(pipe.transform(undefined, { type: 'body', metatype: Absent })).toEqual({ letter: 'a' });
    expect(pipe.transform({}, { type: 'body', metatype: Change })).toEqual({ letter: 'a' });
    for (const metatype of [FlagDemanded, Change]) {
      expect(() => pipe.transform(undefined, { type: 'body', metatype })).toThrow(expect.objectContaining({ code: 'MALFORMED_REQUEST', detail: { reason: 'empty_body' } }) as Error);
    }
  });

  it('leaves alone what is no DTO', () => {
    expect(pipe.transform('x', { type: 'param', metatype: String })).toBe('x');
    expect(pipe.transform(undefined, { type: 'custom' })).toBeUndefined();
  });
});
