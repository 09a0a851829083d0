import type { Finding } from '../../../shared/finding.js';
import type { DocumentContent, IssuerSnapshot } from '../content.js';
import { SERVICE_FIELDS, serviceFields } from '../parts/additional-info.js';
import { defineRules, finding } from './rule.js';

const RULES = defineRules({
  'additional_info.count': {
    es: 'El documento lleva como máximo 15 campos adicionales, contando los que agrega el servicio',
    en: 'The document carries at most 15 additional fields, counting those that the service adds',
    reference: 'Ficha técnica 2.32, anexo 3',
  },
  'additional_info.reserved': {
    es: 'El servicio agrega este campo donde corresponde; la petición no debe llevarlo',
    en: 'The service adds this field itself where it belongs; requests may not carry it',
    reference: 'Ficha técnica 2.32, anexo 24; 2.34, anexo 26',
  },
  'additional_info.provider': {
    es: 'El proveedor se indica una vez, como RUC Proveedor, con los 13 dígitos de su RUC',
    en: 'The platform is named once, as RUC Proveedor, with the 13 digits of its RUC',
    reference: 'Ficha técnica 2.34, anexo 26',
  },
});

const MOST_FIELDS = 15;

/** Names of fields that only the service writes. Whoever issues with a copy of his own has no platform, or names it himself. */
function reservedNames({ providerRuc }: IssuerSnapshot): readonly string[] {
  const { largeTaxpayer, provider } = SERVICE_FIELDS;
  return (providerRuc === null ? [largeTaxpayer] : [largeTaxpayer, provider]).map((name) => name.toLowerCase());
}

/** Free fields: not more than the schema takes, and none of the service's own. */
export function* checkAdditionalInfo(content: DocumentContent, issuer: IssuerSnapshot): Generator<Finding> {
  const most = MOST_FIELDS - serviceFields(content.documentType, issuer).length;
  if (content.additionalInfo.length > most) {
    const count = String(content.additionalInfo.length);
    yield finding(RULES['additional_info.count'], '/additional_info', `≤ ${most}`, count);
  }
  const reserved = reservedNames(issuer);
  for (const [index, { name }] of content.additionalInfo.entries()) {
    if (reserved.includes(name.toLowerCase())) {
      yield finding(RULES['additional_info.reserved'], `/additional_info/${index}/name`, null, name);
    }
  }
  if (issuer.providerRuc === null) yield* checkProvider(content);
}

function* checkProvider({ additionalInfo }: DocumentContent): Generator<Finding> {
  const named = [...additionalInfo.entries()].filter(([, { name }]) => name.toLowerCase() === SERVICE_FIELDS.provider.toLowerCase());
  for (const [place, [index, { name, value }]] of named.entries()) {
    if (place === 0 && name === SERVICE_FIELDS.provider && /^\d{13}$/.test(value)) continue;
    const told = name === SERVICE_FIELDS.provider && place === 0 ? value : name;
    yield finding(RULES['additional_info.provider'], `/additional_info/${index}`, `${SERVICE_FIELDS.provider}: [0-9]{13}`, told);
  }
}
