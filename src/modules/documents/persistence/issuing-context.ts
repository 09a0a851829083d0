import type { IssuerSnapshot } from '../../../sri/document-types/content.js';

/** Row of the SQL function `issuing_context`. */
export interface IssuingContextRow {
  readonly ruc: string;
  readonly razon_social: string;
  readonly nombre_comercial: string | null;
  readonly direccion_matriz: string;
  readonly obligado_contabilidad: boolean;
  readonly contribuyente_especial: string | null;
  readonly agente_retencion: string | null;
  readonly gran_contribuyente: string | null;
  readonly regimen_rimpe: IssuerSnapshot['rimpe'];
  readonly default_payment_method: string;
  readonly issuer_active: boolean;
  readonly establishment_code: string;
  readonly establishment_address: string | null;
  readonly establishment_active: boolean;
  readonly point_code: string;
  readonly point_active: boolean;
  readonly certificate_id: string | null;
  /** As PostgreSQL writes instants in JSON. */
  readonly certificate_valid_to: string | null;
}

/** What the issuer is at this moment; frozen with the document. */
export function snapshotOf(row: IssuingContextRow, providerRuc: string | null, environment: 'TEST' | 'PRODUCTION'): IssuerSnapshot {
  return {
    ruc: row.ruc,
    legalName: row.razon_social,
    tradeName: row.nombre_comercial,
    headOfficeAddress: row.direccion_matriz,
    keepsAccounts: row.obligado_contabilidad,
    specialTaxpayer: row.contribuyente_especial,
    withholdingAgent: row.agente_retencion,
    largeTaxpayer: row.gran_contribuyente,
    rimpe: row.regimen_rimpe,
    defaultPaymentMethod: row.default_payment_method,
    establishmentCode: row.establishment_code,
    establishmentAddress: row.establishment_address,
    emissionPointCode: row.point_code,
    providerRuc,
    environment: environment === 'PRODUCTION' ? '2' : '1',
  };
}
