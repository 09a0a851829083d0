import type { Finding } from '../../../shared/finding.js';
import { defineRules, finding } from '../../../sri/document-types/rules/rule.js';

const RULES = defineRules({
  'correction.referred_to': {
    severity: 'warning',
    es: 'Otros documentos del emisor, que constan en `actual`, nombran a este con una fecha que ya no es la suya, y las guías también con una clave de acceso que nunca existirá: revise cada uno; el que sea válido se anula en el portal del SRI y se emite de nuevo',
    en: "Other documents of the issuer's, listed in `actual`, name this one by a day that is no longer its own, and guides by an access key that will never exist, too: look at each; one that is valid is annulled on the SRI's portal and issued anew",
    reference: 'Consejo de este servicio; el SRI no lo exige',
  },
});

/** Documents that a finding names at most; it counts the others. */
const MOST_NAMED = 10;

/** A document of the issuer's own that names another one by a day which is not that one's. */
export interface OutdatedReference {
  readonly id: string;
  readonly documentType: string;
  /** `001-002-000000003`. */
  readonly number: string;
}

/** A document that is corrected to another day gets another access key: what names it by the former ones points nowhere. A warning, for it may be valid at the SRI. */
export function referredTo(references: readonly OutdatedReference[]): Finding[] {
  if (references.length === 0) return [];
  const named = references.slice(0, MOST_NAMED).map(({ id, documentType, number }) => `${documentType} ${number} (${id})`).join(', ');
  const others = references.length - MOST_NAMED;
  return [finding(RULES['correction.referred_to'], '/issue_date', null, others > 0 ? `${named} +${others}` : named)];
}
