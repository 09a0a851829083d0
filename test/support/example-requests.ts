import { addDays, isCalendarDay } from '../../src/shared/guayaquil.js';
import type { IssuerSnapshot } from '../../src/sri/document-types/content.js';
import type { DocumentExample } from '../../src/sri/document-types/document-type.js';

const DAY_MS = 86_400_000;

/**
 * A worked example as the body of a request: the wire's names, absent for null, and
 * its days moved as if it were issued on `today`. Days of earlier years stay: they are
 * what the example is about.
 */
export function requestOf({ content }: DocumentExample, today: string): Record<string, unknown> {
  const days = (Date.parse(today) - Date.parse(content.issueDate)) / DAY_MS;
  const year = content.issueDate.slice(0, 4);
  const period = monthOf(content.issueDate);
  const move = (text: string): string => {
    if (isCalendarDay(text)) return text.slice(0, 4) === year ? addDays(text, days) : text;
    return text === period ? monthOf(today) : text;
  };
  return wire(content, move) as Record<string, unknown>;
}

/** `mm/yyyy`, as a fiscal period. */
const monthOf = (day: string): string => `${day.slice(5, 7)}/${day.slice(0, 4)}`;

function wire(value: unknown, move: (text: string) => string): unknown {
  if (typeof value === 'string') return move(value);
  if (Array.isArray(value)) return value.map((item) => wire(item, move));
  if (typeof value !== 'object' || value === null) return value;
  const present = Object.entries(value).filter(([, inner]) => inner !== null && !(Array.isArray(inner) && inner.length === 0));
  return Object.fromEntries(present.map(([name, inner]) => [wireName(name), wire(inner, move)]));
}

const wireName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The fields of `POST /issuers` that make an issuer as in an example; its RUC is left to the caller. */
export function issuerFields(issuer: IssuerSnapshot): Record<string, unknown> {
  return {
    razon_social: issuer.legalName,
    nombre_comercial: issuer.tradeName,
    direccion_matriz: issuer.headOfficeAddress,
    obligado_contabilidad: issuer.keepsAccounts,
    contribuyente_especial: issuer.specialTaxpayer,
    agente_retencion: issuer.withholdingAgent,
    gran_contribuyente: issuer.largeTaxpayer,
    regimen_rimpe: issuer.rimpe,
    default_payment_method: issuer.defaultPaymentMethod,
  };
}
