/** A small invoice in canonical form, with every figure open to be spoilt. */
export interface InvoiceOptions {
  readonly ruc?: string;
  readonly environment?: '1' | '2';
  readonly establishment?: string;
  readonly sequential?: number;
  /** `dd/mm/yyyy`. */
  readonly issueDate?: string;
  readonly numericCode?: string;
  readonly buyerIdType?: string;
  readonly buyerId?: string;
  readonly lines?: number;
  /** Replacements made in the finished text, before it is signed. */
  readonly replace?: readonly (readonly [find: string, by: string])[];
  /** Overrides the computed key. */
  readonly accessKey?: string;
}

export interface Invoice {
  readonly xml: string;
  readonly accessKey: string;
}

export function makeInvoice(options: InvoiceOptions = {}): Invoice {
  const ruc = options.ruc ?? '1790012345001';
  const environment = options.environment ?? '1';
  const establishment = options.establishment ?? '001';
  const sequential = String(options.sequential ?? 1).padStart(9, '0');
  const issueDate = options.issueDate ?? '25/08/2026';
  const body = `${issueDate.replaceAll('/', '')}01${ruc}${environment}${establishment}002${sequential}${options.numericCode ?? '12345678'}1`;
  const accessKey = options.accessKey ?? `${body}${modulo11(body)}`;
  const count = options.lines ?? 1;
  const net = (count * 20).toFixed(2);
  const tax = (count * 3).toFixed(2);
  const total = (count * 23).toFixed(2);
  const line =
    '<detalle><codigoPrincipal>P-1</codigoPrincipal><descripcion>Producto ñ á €</descripcion><cantidad>2.000000</cantidad><precioUnitario>10.500000</precioUnitario>' +
    '<descuento>1.00</descuento><precioTotalSinImpuesto>20.00</precioTotalSinImpuesto><impuestos><impuesto><codigo>2</codigo><codigoPorcentaje>4</codigoPorcentaje>' +
    '<tarifa>15.00</tarifa><baseImponible>20.00</baseImponible><valor>3.00</valor></impuesto></impuestos></detalle>';
  const xml =
    '<factura id="comprobante" version="1.1.0"><infoTributaria>' +
    `<ambiente>${environment}</ambiente><tipoEmision>1</tipoEmision><razonSocial>EMPRESA DE PRUEBA S.A.</razonSocial><ruc>${ruc}</ruc>` +
    `<claveAcceso>${accessKey}</claveAcceso><codDoc>01</codDoc><estab>${establishment}</estab><ptoEmi>002</ptoEmi><secuencial>${sequential}</secuencial><dirMatriz>Quito</dirMatriz>` +
    `</infoTributaria><infoFactura><fechaEmision>${issueDate}</fechaEmision><obligadoContabilidad>SI</obligadoContabilidad>` +
    `<tipoIdentificacionComprador>${options.buyerIdType ?? '05'}</tipoIdentificacionComprador><razonSocialComprador>CLIENTE &amp; ASOCIADOS</razonSocialComprador>` +
    `<identificacionComprador>${options.buyerId ?? '1710034065'}</identificacionComprador><totalSinImpuestos>${net}</totalSinImpuestos><totalDescuento>${count.toFixed(2)}</totalDescuento>` +
    `<totalConImpuestos><totalImpuesto><codigo>2</codigo><codigoPorcentaje>4</codigoPorcentaje><baseImponible>${net}</baseImponible><tarifa>15.00</tarifa><valor>${tax}</valor></totalImpuesto></totalConImpuestos>` +
    `<propina>0.00</propina><importeTotal>${total}</importeTotal><moneda>DOLAR</moneda><pagos><pago><formaPago>20</formaPago><total>${total}</total></pago></pagos></infoFactura>` +
    `<detalles>${line.repeat(count)}</detalles></factura>`;
  const spoilt = (options.replace ?? []).reduce((text, [find, by]) => {
    if (!text.includes(find)) throw new Error(`nothing to replace: ${find}`);
    return text.replace(find, by);
  }, xml);
  return { xml: spoilt, accessKey };
}

function modulo11(digits: string): string {
  const weights = [7, 6, 5, 4, 3, 2];
  const sum = Array.from(digits).reduce((total, digit, index) => total + Number(digit) * (weights[index % 6] ?? 0), 0);
  return ['0', '1', '9', '8', '7', '6', '5', '4', '3', '2', '1'][sum % 11] ?? '';
}
