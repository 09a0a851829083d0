import type { Finding } from '../../../shared/finding.js';
import { isFreeId, LONGEST_FREE_ID } from '../../identification.js';
import { lookup } from '../../tables/code-table.js';
import { FINAL_CONSUMER, IDENTIFICATION_TYPES } from '../../tables/documents.js';
import { checkCedula, checkRuc } from '../../taxpayer-id.js';
import { checkText } from './texts.js';

/** Table 6. */
const RUC = '04';

export type PartyIdProblem =
  /** Not a code of table 6, or the final consumer, who is nobody in particular. */
  | 'type'
  /** Not an identification of that type. */
  | 'form'
  /** Only the check digit is wrong, which the SRI itself merely warns about. */
  | 'check_digit';

/** By what somebody other than the buyer may be identified: table 6 without the final consumer. */
export const PARTY_ID_TYPES = IDENTIFICATION_TYPES.rows.map(({ code }) => code).filter((code) => code !== FINAL_CONSUMER.idType).join(', ');

/** What is wrong with the identification of someone other than the buyer; null: nothing. */
export function partyIdProblem(type: string, id: string, asOf: string): PartyIdProblem | null {
  if (type === FINAL_CONSUMER.idType || lookup(IDENTIFICATION_TYPES, type, asOf) === undefined) return 'type';
  if (id === FINAL_CONSUMER.id) return 'form';
  switch (type) {
    case RUC:
      return ofTaxpayer(checkRuc(id, { anyEstablishment: true }));
    case '05':
      return ofTaxpayer(checkCedula(id));
    default:
      return isFreeId(id) ? null : 'form';
  }
}

function ofTaxpayer({ problem, warning }: ReturnType<typeof checkRuc>): PartyIdProblem | null {
  const doubt = problem ?? warning;
  if (doubt === undefined) return null;
  return doubt === 'check_digit' ? 'check_digit' : 'form';
}

/** How an identification reads that {@link partyIdProblem} has nothing against: where it is free text, it may have letters that are not printed. */
export const checkPartyIdText = (id: string, pointer: string): Generator<Finding> => checkText({ pointer, value: id, max: LONGEST_FREE_ID });

/** The RUC of whoever is identified by one; null where it is none. */
export function rucOf(type: string | null, id: string | null): string | null {
  return type === RUC && id !== null && /^[0-9]{13}$/.test(id) ? id : null;
}
