import { type LaterFault, laterRefusal } from '../../../platform/http/refused-later.js';
import { echo } from '../../../platform/http/validation-failure.js';
import { identificationProblem } from '../../../sri/identification.js';

/** Where the parts of an identification stand in the request. */
export interface IdentificationFields {
  readonly source: 'body' | 'query';
  readonly idType: string;
  readonly id: string;
}

export const OF_PROFILE: IdentificationFields = { source: 'body', idType: 'buyer_id_type', id: 'buyer_id' };

/** Types of a profile. */
const EXPECTED = ['04', '05', '06', '08', 'RUC', 'CEDULA', 'PASAPORTE', 'EXTERIOR'];

/** What identifies nobody in particular, at the field at fault. */
export function identificationFaults(fields: IdentificationFields, idType: string, id: string, strict: boolean): readonly LaterFault[] {
  const problem = identificationProblem(idType, id, { strict });
  if (problem === null) return [];
  const atType = problem === 'type' || (problem === 'final_consumer' && idType === '07');
  return [{ field: atType ? fields.idType : fields.id, type: `identification_${problem}`, ctx: problem === 'type' ? { expected: EXPECTED } : {} }];
}

/**
 * Refuses what identifies nobody in particular.
 * @throws ValidationFailure
 */
export function refuseIdentification(fields: IdentificationFields, idType: string, id: string, strict: boolean): void {
  const faults = identificationFaults(fields, idType, id, strict);
  if (faults.length > 0) throw laterRefusal(fields.source, faults, (field) => echo(field === fields.id ? id : idType));
}
