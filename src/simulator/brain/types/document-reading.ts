import { type Line, type Tax } from '../arithmetic/totals.js';
import type { Receiver } from '../checks/receiver.js';
import { child, children, type Element, textAt } from '../xml/element.js';

/** How one document type is read: all that the checks need to know about it. */
export interface DocumentReading {
  /** `codDoc`. */
  readonly code: string;
  readonly rootElement: string;
  /** Day of the access key, `dd/mm/yyyy`. */
  issueDate(root: Element): string;
  /** False where the day is not an issue date and has no window (guía). */
  readonly hasIssueWindow: boolean;
  receivers(root: Element): readonly Receiver[];
  /** Documents that this one rests on. */
  supports(root: Element): readonly SupportingDocument[];
  /** What the real service demands beyond its published schema (35), or null. */
  structureProblem(root: Element): string | null;
  /** Texts of message 52, empty when the document foots. */
  differences(root: Element): readonly string[];
}

export interface SupportingDocument {
  /** RUC of its issuer; null when it is the issuer of this document. */
  readonly issuer: string | null;
  readonly documentType: string;
  /** `001-001-000000001`, or 15 digits in the withholding. */
  readonly number: string;
}

/** Text of an element that the schema demands; empty when missing. */
export function required(element: Element | null, ...names: readonly string[]): string {
  return textAt(element, ...names) ?? '';
}

/** A tax entry of the header or of a line: every type uses the same element names. */
export function readTax(entry: Element): Tax {
  return {
    code: required(entry, 'codigo'),
    rateCode: required(entry, 'codigoPorcentaje'),
    rate: textAt(entry, 'tarifa'),
    base: required(entry, 'baseImponible'),
    amount: required(entry, 'valor'),
    refund: textAt(entry, 'valorDevolucionIva'),
  };
}

export function readLines(root: Element): readonly Line[] {
  return children(child(root, 'detalles'), 'detalle').map((line) => ({
    quantity: required(line, 'cantidad'),
    unitPrice: required(line, 'precioUnitario'),
    discount: textAt(line, 'descuento'),
    net: required(line, 'precioTotalSinImpuesto'),
    taxes: children(child(line, 'impuestos'), 'impuesto').map(readTax),
  }));
}

export function readPayments(info: Element | null): readonly string[] {
  return children(info, 'pagos').flatMap((group) =>
    children(group, 'pago').map((payment) => required(payment, 'total')),
  );
}

/** The real service refuses lines without a code and sales without payments although its schema admits them. */
export function saleStructureProblem(root: Element, info: Element | null, lineCode: string): string | null {
  const bare = children(child(root, 'detalles'), 'detalle').findIndex((line) => child(line, lineCode) === null);
  if (bare >= 0) return `Error en estructura de comprobante: falta ${lineCode} en el detalle ${bare + 1}`;
  return child(info, 'pagos') === null ? 'Error en estructura de comprobante: falta pagos' : null;
}
