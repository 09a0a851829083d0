import 'reflect-metadata';
import type { Settings } from '../../config/settings.js';
import { Flag, OneOf } from './fields.js';
import { FieldValidationPipe } from './validation.pipe.js';

class FlagDemanded {
  @Flag() on: boolean;
}

class NothingDemanded {
  @OneOf(['a', 'b'], { default: 'a' }) letter: string = 'a';
}

describe('the pipe', () => {
  const pipe = new FieldValidationPipe({ STRICT_RUC_CHECK: false } as Settings);

  it('takes an absent body for an empty one where nothing is demanded, and answers it as malformed elsewhere', () => {
    expect(pipe.transform(undefined, { type: 'body', metatype: NothingDemanded })).toEqual({ letter: 'a' });
    expect(() => pipe.transform(undefined, { type: 'body', metatype: FlagDemanded })).toThrow(expect.objectContaining({ code: 'MALFORMED_REQUEST' }) as Error);
  });

  it('leaves alone what is no DTO', () => {
    expect(pipe.transform('x', { type: 'param', metatype: String })).toBe('x');
    expect(pipe.transform(undefined, { type: 'custom' })).toBeUndefined();
  });
});
