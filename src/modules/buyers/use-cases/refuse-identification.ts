import { echo, ValidationFailure } from '../../../platform/http/validation-failure.js';
import { identificationProblem } from '../../../sri/identification.js';

/** Where the parts of an identification stand in the request. */
export interface IdentificationPlace {
  readonly source: 'body' | 'query';
  readonly idType: string;
  readonly id: string;
}

/** Types of a profile. */
const EXPECTED = ['04', '05', '06', '08', 'RUC', 'CEDULA', 'PASAPORTE', 'EXTERIOR'];

/**
 * Refuses what identifies nobody in particular, naming the field at fault.
 * @throws ValidationFailure
 */
export function refuseIdentification(place: IdentificationPlace, idType: string, id: string, strict: boolean): void {
  const problem = identificationProblem(idType, id, { strict });
  if (problem === null) return;
  const atType = problem === 'type' || (problem === 'final_consumer' && idType === '07');
  const [field, input] = atType ? [place.idType, idType] : [place.id, id];
  throw new ValidationFailure([
    { loc: [place.source, field], type: `identification_${problem}`, input: echo(input), ctx: problem === 'type' ? { expected: EXPECTED } : {} },
  ]);
}
