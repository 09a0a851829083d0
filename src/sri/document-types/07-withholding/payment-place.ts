import type { Finding } from '../../../shared/finding.js';
import { lookup } from '../../tables/code-table.js';
import { FOREIGN_REGIMES, PAYMENT_LOCATIONS, SOME_COUNTRIES } from '../../tables/supporting-documents.js';
import type { SupportingDocument } from '../content.js';
import { defineRules, finding } from '../rules/rule.js';

const ANNEX = 'Ficha técnica 2.32, anexo del comprobante de retención 2.0.0; catálogo del ATS, tablas 15 y 19';

const RULES = defineRules({
  'withholding.payment_location': {
    es: 'El pago es a residente (01) o no residente (02)',
    en: 'The payment goes to a resident (01) or a non-resident (02)',
    reference: ANNEX,
  },
  'withholding.regime': {
    es: 'Un pago al exterior dice el régimen: general (01), paraíso fiscal (02) o preferente (03)',
    en: 'A payment abroad tells the regime: general (01), tax haven (02) or preferential (03)',
    reference: ANNEX,
  },
  'withholding.country': {
    es: 'Un pago al exterior dice el país, con tres o cuatro dígitos',
    en: 'A payment abroad tells the country, with three or four digits',
    reference: ANNEX,
  },
  'withholding.treaty': {
    es: 'Un pago al exterior dice si se aplica un convenio de doble tributación',
    en: 'A payment abroad tells whether a double-taxation treaty applies',
    reference: ANNEX,
  },
  'withholding.abroad_only': {
    es: 'Este campo es solo de pagos al exterior',
    en: 'This field is for payments abroad only',
    reference: ANNEX,
  },
});

export const ABROAD = '02';
const COUNTRY = /^[0-9]{3,4}$/;

/** Where the payment went; one abroad tells regime, country and treaty, one at home none of them, but that no treaty applies. */
export function* checkPaymentPlace(document: SupportingDocument, at: string, issueDate: string): Generator<Finding> {
  const { paymentLocation, regimeType, country, treaty } = document;
  if (lookup(PAYMENT_LOCATIONS, paymentLocation, issueDate) === undefined) {
    yield finding(RULES['withholding.payment_location'], `${at}/payment_location`, '01, 02', paymentLocation);
    return;
  }
  if (paymentLocation !== ABROAD) {
    for (const [name, value] of Object.entries({ regime_type: regimeType, country, treaty: treaty === true ? treaty : null })) {
      if (value !== null) yield finding(RULES['withholding.abroad_only'], `${at}/${name}`, null, String(value));
    }
    return;
  }
  if (regimeType === null || lookup(FOREIGN_REGIMES, regimeType, issueDate) === undefined) {
    yield finding(RULES['withholding.regime'], `${at}/regime_type`, '01, 02, 03', regimeType);
  }
  if (country === null || !COUNTRY.test(country)) {
    yield finding(RULES['withholding.country'], `${at}/country`, SOME_COUNTRIES, country);
  }
  if (treaty === null) yield finding(RULES['withholding.treaty'], `${at}/treaty`);
}
