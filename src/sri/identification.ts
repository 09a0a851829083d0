import { normaliseText, textProblem } from '../shared/text.js';
import { FINAL_CONSUMER } from './tables/documents.js';
import { checkCedula, checkRuc, type RucOptions } from './taxpayer-id.js';

/** In code points; pre-flight refuses what is longer in UTF-16 units, which stored profiles may be. */
export const LONGEST_FREE_ID = 20;

/** A passport or an identification from abroad is free text: each country gives its own. */
export function isFreeId(id: string): boolean {
  return id === normaliseText(id) && textProblem(id, { min: 1, max: LONGEST_FREE_ID }) === null;
}

/** What is wrong with an identification: its type, or that it cannot be one of its type. */
export type IdentificationProblem = 'type' | 'final_consumer' | 'ruc' | 'cedula' | 'passport' | 'foreign';

/** Why nobody in particular can be identified by this, or null. Codes are those of the SRI's table 6. */
export function identificationProblem(type: string, id: string, options: Pick<RucOptions, 'strict'> = {}): IdentificationProblem | null {
  if (type === FINAL_CONSUMER.idType || id === FINAL_CONSUMER.id) return 'final_consumer';
  switch (type) {
    case '04':
      return checkRuc(id, { ...options, anyEstablishment: true }).valid ? null : 'ruc';
    case '05':
      return checkCedula(id).valid ? null : 'cedula';
    case '06':
      return isFreeId(id) ? null : 'passport';
    case '08':
      return isFreeId(id) ? null : 'foreign';
    default:
      return 'type';
  }
}
