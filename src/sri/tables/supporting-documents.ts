import type { CodeTable } from './code-table.js';

const always = { from: null, to: null } as const;

/** Code, Spanish name, English name. */
type Named = readonly [string, string, string];

const named = (rows: readonly Named[]) => rows.map(([code, es, en]) => ({ code, es, en, ...always }));

/** Documents that support a withholding or a reimbursement (`codDocSustento`, `codDocReembolso`). */
export const SUPPORTING_DOCUMENTS: CodeTable = {
  name: 'supporting-documents',
  source: 'Catálogo del ATS, tabla 4',
  rows: named([
    ['01', 'Factura', 'Invoice'],
    ['02', 'Nota de venta', 'Sales note'],
    ['03', 'Liquidación de compra', 'Purchase settlement'],
    ['04', 'Nota de crédito', 'Credit note'],
    ['05', 'Nota de débito', 'Debit note'],
    ['08', 'Entradas a espectáculos públicos', 'Tickets to public shows'],
    ['09', 'Tiquetes de máquinas registradoras', 'Cash register tickets'],
    ['11', 'Pasajes', 'Passenger tickets'],
    ['12', 'Documentos de instituciones financieras', 'Documents of financial institutions'],
    ['15', 'Comprobante de venta emitido en el exterior', 'Sales document issued abroad'],
    ['16', 'Formulario único de exportación o declaración aduanera', 'Single export form or customs declaration'],
    ['18', 'Documentos autorizados utilizados en ventas', 'Authorised documents used in sales'],
    ['19', 'Comprobantes de pago de cuotas o aportes', 'Receipts of fees or contributions'],
    ['20', 'Documentos por servicios del Estado', 'Documents of services by the State'],
    ['21', 'Carta de porte aéreo', 'Air waybill'],
    ['41', 'Comprobante de venta por reembolso', 'Sales document for reimbursement'],
    ['42', 'Retención presuntiva o autorretención', 'Presumptive withholding or self-withholding'],
    ['43', 'Liquidación por explotación de hidrocarburos', 'Settlement of hydrocarbon exploitation'],
    ['44', 'Comprobante de contribuciones y aportes', 'Receipt of contributions'],
    ['45', 'Liquidación por reclamos de aseguradoras', 'Settlement of insurance claims'],
    ['47', 'Nota de crédito por reembolso', 'Credit note for reimbursement'],
    ['48', 'Nota de débito por reembolso', 'Debit note for reimbursement'],
    ['49', 'Proveedor directo de exportador', 'Direct supplier of an exporter, on consignment'],
    ['50', 'A instituciones del Estado y empresas públicas con IVA', 'To public bodies, with IVA'],
    ['51', 'Nota de crédito a instituciones del Estado', 'Credit note to public bodies'],
    ['52', 'Nota de débito a instituciones del Estado', 'Debit note to public bodies'],
    ['294', 'Liquidación de compra de bienes muebles usados', 'Purchase settlement of used movable goods'],
    ['344', 'Liquidación de compra de vehículos usados', 'Purchase settlement of used vehicles'],
    ['364', 'Acta de entrega-recepción de PET', 'Record of delivery of PET bottles'],
    ['370', 'Factura de operadora de transporte o socio', 'Invoice of a transport operator or member'],
    ['371', 'Comprobante del socio a la operadora de transporte', 'Document of a member to the transport operator'],
    ['372', 'Nota de crédito de operadora de transporte o socio', 'Credit note of a transport operator or member'],
    ['373', 'Nota de débito de operadora de transporte o socio', 'Debit note of a transport operator or member'],
    ['374', 'Nota de débito de la operadora al socio', 'Debit note of the operator to a member'],
    ['375', 'Liquidación de compra de RISE de bienes o servicios', 'Purchase settlement of goods or services of RISE'],
  ]),
};

/** Supporting documents that are credit or debit notes, under whatever code. */
export const SUPPORTING_NOTES: readonly string[] = ['04', '05', '47', '48', '51', '52', '372', '373', '374'];

/** What a supporting document is good for (`codSustento`). */
export const SUSTENTO_CODES: CodeTable = {
  name: 'sustento-codes',
  source: 'Catálogo del ATS, tabla 5 (códigos 14 y 15: una sola fuente)',
  rows: named([
    ['00', 'Casos especiales', 'Special cases'],
    ['01', 'Crédito tributario para declaración de IVA', 'Tax credit for IVA'],
    ['02', 'Costo o gasto para declaración de renta', 'Cost or expense for income tax'],
    ['03', 'Activo fijo con crédito tributario', 'Fixed asset with tax credit'],
    ['04', 'Activo fijo sin crédito tributario', 'Fixed asset without tax credit'],
    ['05', 'Gastos de viaje, hospedaje y alimentación', 'Travel expenses'],
    ['06', 'Inventario con crédito tributario', 'Inventory with tax credit'],
    ['07', 'Inventario sin crédito tributario', 'Inventory without tax credit'],
    ['08', 'Reembolso de gastos', 'Reimbursement of expenses'],
    ['09', 'Reembolso por siniestros', 'Insurance claims'],
    ['10', 'Distribución de dividendos o utilidades', 'Dividends'],
    ['11', 'Convenios de débito o recaudación', 'Collection agreements'],
    ['12', 'Impuestos y retenciones presuntivos', 'Presumptive taxes and withholding'],
    ['13', 'Valores reconocidos por entidades del sector público', 'Values of the public sector'],
    [
      '14',
      'Valores facturados por socios a operadoras de transporte',
      'Values invoiced by members to their transport operator',
    ],
    ['15', 'Pagos por servicios digitales', 'Digital services'],
  ]),
};

/** Kinds of a withholding's subject or a reimbursed supplier. */
export const PERSON_KINDS: CodeTable = {
  name: 'person-kinds',
  source: 'Catálogo del ATS, tabla 14; ficha técnica off-line 2.32, tabla 26',
  rows: named([
    ['01', 'Persona natural', 'Natural person'],
    ['02', 'Sociedad', 'Company'],
  ]),
};

/** Whether a payment went to a resident (`pagoLocExt`). */
export const PAYMENT_LOCATIONS: CodeTable = {
  name: 'payment-locations',
  source: 'Catálogo del ATS, tabla 15',
  rows: named([
    ['01', 'Pago a residente', 'Resident'],
    ['02', 'Pago a no residente', 'Non-resident'],
  ]),
};

/** Tax regime of a payment abroad (`tipoRegi`). */
export const FOREIGN_REGIMES: CodeTable = {
  name: 'foreign-regimes',
  source: 'Catálogo del ATS, tabla 19',
  rows: named([
    ['01', 'Régimen general', 'General regime'],
    ['02', 'Paraíso fiscal', 'Tax haven'],
    ['03', 'Régimen fiscal preferente', 'Preferential regime'],
  ]),
};

/** Countries named in the references at hand; the SRI's table is longer, so an unlisted code is not wrong. */
export const COUNTRIES: CodeTable = {
  name: 'countries',
  source: 'Ficha técnica off-line 2.32, tabla 25 (extracto)',
  rows: named([
    ['593', 'Ecuador', 'Ecuador'],
    ['110', 'Estados Unidos', 'United States'],
    ['105', 'Colombia', 'Colombia'],
    ['120', 'Perú', 'Peru'],
    ['209', 'España', 'Spain'],
    ['331', 'China', 'China'],
  ]),
};

/** What a country looks like: an unlisted code may be right, so the list is none to choose from. */
export const SOME_COUNTRIES = '593, 110…';

/** `codDocReembolso` of a document that itself claims reimbursements. */
export const REIMBURSEMENT_DOCUMENT = '41';

/** The notes on such a document. */
export const REIMBURSEMENT_NOTES: readonly string[] = ['47', '48'];
