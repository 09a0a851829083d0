import { element, escapeText, optionalGroup, withAttributes } from '../../xml/canonical.js';
import type { DocumentContent, DocumentTypeCode, IssuerSnapshot, NameValue } from '../content.js';

/** Names of the fields that the service writes itself; callers may not use them. */
export const SERVICE_FIELDS = { largeTaxpayer: 'Gran Contribuyente', provider: 'RUC Proveedor' } as const;

/** Invoices, purchase settlements and notes: guides and withholdings do not have it. */
const WITH_LARGE_TAXPAYER: readonly DocumentTypeCode[] = ['01', '03', '04', '05'];

/** What the service must add: the large-taxpayer legend (annex 24) and the RUC of the invoicing platform (annex 26 of ficha 2.34). */
export function serviceFields(documentType: DocumentTypeCode, issuer: IssuerSnapshot): readonly NameValue[] {
  const fields: NameValue[] = [];
  if (issuer.largeTaxpayer !== null && WITH_LARGE_TAXPAYER.includes(documentType)) fields.push({ name: SERVICE_FIELDS.largeTaxpayer, value: issuer.largeTaxpayer });
  if (issuer.providerRuc !== null) fields.push({ name: SERVICE_FIELDS.provider, value: issuer.providerRuc });
  return fields;
}

/** `infoAdicional`: the caller's fields, then the service's. Left out when there is none. */
export function additionalInfo(content: DocumentContent, issuer: IssuerSnapshot): string {
  return optionalGroup(
    'infoAdicional',
    ...[...content.additionalInfo, ...serviceFields(content.documentType, issuer)].map(({ name, value }) =>
      withAttributes('campoAdicional', { nombre: name }, escapeText(value)),
    ),
  );
}

/** `detallesAdicionales` of a line. */
export function additionalDetails(details: readonly NameValue[]): string {
  if (details.length === 0) return '';
  return optionalGroup(
    'detallesAdicionales',
    ...details.map(({ name, value }) => withAttributes('detAdicional', { nombre: name, valor: value }, '')),
  );
}

/** `SI` or `NO`. */
export function yesNo(name: string, value: boolean): string {
  return element(name, value ? 'SI' : 'NO');
}
