import { dec, money, sum } from '../../../src/shared/decimal.js';
import { normaliseText } from '../../../src/shared/text.js';
import { type DocumentContent, type DocumentLine, type DocumentTax, type IssuerSnapshot, PLAIN_CONTENT } from '../../../src/sri/document-types/content.js';
import { child, children, descend, type Element, textAt } from '../../../src/simulator/brain/xml/element.js';
import { dayOf, dayOrNull, line, need, textOf } from './sample-fields.js';
import { withholdingOf } from './sample-withholding.js';

/**
 * Somebody's document as a payload of ours: what a client would send so that the
 * service writes that document. Reads what the model covers; whatever it leaves out
 * shows as a difference of the XML.
 */
export interface Payload {
  readonly content: DocumentContent;
  readonly issuer: IssuerSnapshot;
  readonly sequential: number;
}

/** The platform's own field, which the issuer's snapshot holds. */
const PROVIDER = 'RUC Proveedor';

export function payloadOf(root: Element): Payload {
  const info = infoOf(root);
  const key = need(root, 'infoTributaria', 'claveAcceso');
  const type = need(root, 'infoTributaria', 'codDoc') as DocumentContent['documentType'];
  return {
    content: { ...common(root, info, type, key), ...OWN[type](root, info) },
    issuer: issuerOf(root, info),
    sequential: Number(need(root, 'infoTributaria', 'secuencial')),
  };
}

function infoOf(root: Element): Element {
  const info = root.children.find(({ name }) => name.startsWith('info') && name !== 'infoTributaria');
  if (info === undefined) throw new Error(`${root.name} has no information block`);
  return info;
}

function issuerOf(root: Element, info: Element): IssuerSnapshot {
  const taxpayer = child(root, 'infoTributaria');
  const provider = fields(root).find(({ name }) => name === PROVIDER);
  return {
    ruc: need(taxpayer, 'ruc'),
    legalName: need(taxpayer, 'razonSocial'),
    tradeName: textOf(taxpayer, 'nombreComercial'),
    headOfficeAddress: need(taxpayer, 'dirMatriz'),
    keepsAccounts: textAt(info, 'obligadoContabilidad') === 'SI',
    specialTaxpayer: textAt(info, 'contribuyenteEspecial'),
    withholdingAgent: textAt(taxpayer, 'agenteRetencion'),
    largeTaxpayer: null,
    rimpe: 'none',
    defaultPaymentMethod: '20',
    establishmentCode: need(taxpayer, 'estab'),
    establishmentAddress: textOf(info, 'dirEstablecimiento'),
    emissionPointCode: need(taxpayer, 'ptoEmi'),
    providerRuc: provider?.value ?? null,
    environment: need(taxpayer, 'ambiente') === '2' ? '2' : '1',
  };
}

function common(root: Element, info: Element, type: DocumentContent['documentType'], key: string): DocumentContent {
  const who = ['Comprador', 'Proveedor', 'SujetoRetenido'].find((name) => textAt(info, `razonSocial${name}`) !== null);
  const total = ['importeTotal', 'valorModificacion', 'valorTotal'].flatMap((name) => textAt(info, name) ?? [])[0];
  const lines = linesOf(root, type);
  const totalDiscount = money(sum(lines.map(({ discount }) => discount)));
  const taxes = taxesOf(info, lines);
  return {
    ...PLAIN_CONTENT,
    documentType: type,
    issueDate: dayOf(textAt(info, 'fechaEmision') ?? need(info, 'fechaIniTransporte')),
    subtotal: money(dec(textAt(info, 'totalSinImpuestos') ?? '0').plus(totalDiscount)),
    totalDiscount,
    totalTax: money(sum(taxes.map(({ taxAmount }) => taxAmount))),
    total: total === undefined ? '0.00' : money(dec(total)),
    buyerIdType: who === undefined ? null : textAt(info, `tipoIdentificacion${who}`),
    buyerId: who === undefined ? null : textAt(info, `identificacion${who}`),
    buyerName: who === undefined ? null : textOf(info, `razonSocial${who}`),
    buyerEmail: null,
    buyerAddress: who === undefined ? null : textOf(info, `direccion${who}`),
    modifiedDocumentId: null,
    modifiedDocumentType: textAt(info, 'codDocModificado'),
    modifiedDocumentNumber: textAt(info, 'numDocModificado'),
    modifiedDocumentIssueDate: dayOrNull(textAt(info, 'fechaEmisionDocSustento')),
    reason: textOf(info, 'motivo'),
    lines,
    taxes,
    payments: children(child(info, 'pagos'), 'pago').map((payment, index) => ({
      lineNumber: index + 1,
      paymentMethodCode: need(payment, 'formaPago'),
      total: money(dec(need(payment, 'total'))),
      term: textAt(payment, 'plazo') === null ? null : Number(textAt(payment, 'plazo')),
      timeUnit: textAt(payment, 'unidadTiempo'),
    })),
    numericCode: key.slice(39, 47),
    additionalInfo: fields(root).filter(({ name }) => name !== PROVIDER),
  };
}

function linesOf(root: Element, type: string): readonly DocumentLine[] {
  if (type === '05') {
    const groups = children(descend(infoOf(root), 'impuestos'), 'impuesto');
    return children(child(root, 'motivos'), 'motivo').map((motive, index) => {
      const value = need(motive, 'valor');
      // Motives name no tax: the only group there is, or the one over just this motive.
      const net = need(infoOf(root), 'totalSinImpuestos');
      const group = groups.find((tax) => [net, value].some((base) => dec(base).eq(need(tax, 'baseImponible'))));
      const taxRateCode = textAt(group ?? null, 'codigoPorcentaje') ?? '0';
      return line(index, {
        description: textOf(motive, 'razon') ?? '',
        unitPrice: value,
        subtotal: money(dec(value)),
        taxRateCode,
      });
    });
  }
  const details = child(root, 'destinatarios') === null ? child(root, 'detalles') : null;
  const entries =
    details === null
      ? children(child(root, 'destinatarios'), 'destinatario').flatMap(detailsOf)
      : children(details, 'detalle');
  return entries.map((entry, index) =>
    line(index, {
      description: textOf(entry, 'descripcion') ?? '',
      mainCode: textAt(entry, 'codigoPrincipal') ?? textAt(entry, 'codigoInterno'),
      auxCode: textAt(entry, 'codigoAuxiliar') ?? textAt(entry, 'codigoAdicional'),
      unitOfMeasure: textOf(entry, 'unidadMedida'),
      quantity: need(entry, 'cantidad'),
      unitPrice: textAt(entry, 'precioUnitario') ?? '0',
      discount: money(dec(textAt(entry, 'descuento') ?? '0')),
      subtotal: money(dec(textAt(entry, 'precioTotalSinImpuesto') ?? '0')),
      taxes: type === '06' ? null : children(child(entry, 'impuestos'), 'impuesto').map((tax) => taxOf(tax, null)),
      additionalDetails: children(child(entry, 'detallesAdicionales'), 'detAdicional').map(({ attributes }) => ({
        name: attributes.get('nombre') ?? '',
        value: attributes.get('valor') ?? '',
      })),
    }),
  );
}

const detailsOf = (consignee: Element): readonly Element[] => children(child(consignee, 'detalles'), 'detalle');

function taxesOf(info: Element, lines: readonly DocumentLine[]): readonly DocumentTax[] {
  const entries = [
    ...children(child(info, 'totalConImpuestos'), 'totalImpuesto'),
    ...children(child(info, 'impuestos'), 'impuesto'),
  ];
  return entries.map((entry) => {
    const [tax, rate] = [need(entry, 'codigo'), need(entry, 'codigoPorcentaje')];
    const ofLine = lines
      .flatMap(({ taxes }) => taxes ?? [])
      .find(({ taxCode, taxRateCode }) => taxCode === tax && taxRateCode === rate);
    return taxOf(entry, ofLine?.rate ?? null);
  });
}

function taxOf(entry: Element, rate: string | null): DocumentTax {
  const percent = textAt(entry, 'tarifa');
  return {
    taxCode: need(entry, 'codigo'),
    taxRateCode: need(entry, 'codigoPorcentaje'),
    taxableBase: need(entry, 'baseImponible'),
    rate: percent === null ? (rate ?? '0.0000') : dec(percent).div(100).toFixed(4),
    taxAmount: need(entry, 'valor'),
    tariff: null,
  };
}

type Own = (root: Element, info: Element) => Partial<DocumentContent>;

const OWN: Readonly<Record<DocumentContent['documentType'], Own>> = {
  '01': (_root, info) => {
    const tip = textAt(info, 'propina');
    return { tip: tip === null || dec(tip).isZero() ? null : tip, deliveryGuideNumber: textAt(info, 'guiaRemision') };
  },
  '03': () => ({}),
  '04': () => ({}),
  '05': () => ({}),
  '06': guide,
  '07': withholdingOf,
};

function guide(root: Element, info: Element): Partial<DocumentContent> {
  let last = 0;
  const destinations = children(child(root, 'destinatarios'), 'destinatario').map((consignee) => ({
    id: need(consignee, 'identificacionDestinatario'),
    name: textOf(consignee, 'razonSocialDestinatario') ?? '',
    address: textOf(consignee, 'dirDestinatario') ?? '',
    reason: textOf(consignee, 'motivoTraslado') ?? '',
    route: textOf(consignee, 'ruta'),
    establishment: textAt(consignee, 'codEstabDestino'),
    customsDocument: textAt(consignee, 'docAduaneroUnico'),
    supportingDocument:
      textAt(consignee, 'codDocSustento') === null
        ? null
        : {
            documentType: need(consignee, 'codDocSustento'),
            number: need(consignee, 'numDocSustento'),
            authorizationNumber: textAt(consignee, 'numAutDocSustento'),
            issueDate: dayOf(need(consignee, 'fechaEmisionDocSustento')),
          },
    lineNumbers: detailsOf(consignee).map(() => (last += 1)),
  }));
  const [first] = destinations;
  return {
    buyerIdType: '06',
    buyerId: first?.id ?? null,
    buyerName: first?.name ?? null,
    buyerAddress: first?.address ?? null,
    reason: first?.reason ?? null,
    taxes: [{ taxCode: '2', taxRateCode: '0', taxableBase: '0.00', rate: '0.0000', taxAmount: '0.00', tariff: null }],
    transport: {
      originAddress: textOf(info, 'dirPartida') ?? '',
      carrier: {
        idType: need(info, 'tipoIdentificacionTransportista'),
        id: need(info, 'rucTransportista'),
        name: textOf(info, 'razonSocialTransportista') ?? '',
      },
      startDate: dayOf(need(info, 'fechaIniTransporte')),
      endDate: dayOf(need(info, 'fechaFinTransporte')),
      plate: need(info, 'placa'),
      route: null,
      destinationEstablishment: null,
      customsDocument: null,
      destinations,
    },
  };
}

function fields(root: Element): readonly { readonly name: string; readonly value: string }[] {
  return children(child(root, 'infoAdicional'), 'campoAdicional').map(({ attributes, text }) => ({
    name: normaliseText(attributes.get('nombre') ?? ''),
    value: normaliseText(text),
  }));
}
