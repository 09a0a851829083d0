import { type SriMessage, sriMessage } from '../messages.js';

/** Who receives a document. */
export interface Receiver {
  /** Table 6 of the ficha: 04 RUC, 05 cédula, 06 passport, 07 final consumer, 08 foreign; null where the type has none. */
  readonly idType: string | null;
  readonly id: string;
}

const FINAL_CONSUMER = '9999999999999';

export function isFinalConsumer({ idType, id }: Receiver): boolean {
  return idType === '07' || id === FINAL_CONSUMER;
}

/** Message 69: only an invoice may name the final consumer. */
export function receiverRefusal(receiver: Receiver, documentType: string): SriMessage | null {
  return isFinalConsumer(receiver) && documentType !== '01' && documentType !== '06'
    ? sriMessage('69', 'El comprobante exige un receptor identificado')
    : null;
}

/** Warnings 59 and 62: they never refuse a document. */
export function receiverWarnings(receiver: Receiver, unknown: readonly string[]): readonly SriMessage[] {
  if (!wellFormed(receiver)) return [sriMessage('62', `Identificación ${receiver.id}`)];
  return unknown.includes(receiver.id) ? [sriMessage('59', `Identificación ${receiver.id}`)] : [];
}

function wellFormed({ idType, id }: Receiver): boolean {
  switch (idType) {
    case '04':
      return isRuc(id);
    case '05':
      return isCedula(id);
    case '07':
      return id === FINAL_CONSUMER;
    default:
      return true;
  }
}

/** Companies' and public bodies' check digits are not enforceable any more: only their shape counts. */
function isRuc(id: string): boolean {
  if (!/^\d{13}$/.test(id) || !hasProvince(id) || id.endsWith('000')) return false;
  return id[2] === '6' || id[2] === '9' || isCedula(id.slice(0, 10));
}

/** Civil registry number: modulo 10, weights 2 and 1 in turn over the first nine digits, of which the third may be any. */
function isCedula(id: string): boolean {
  if (!/^\d{10}$/.test(id) || !hasProvince(id)) return false;
  let sum = 0;
  for (let index = 0; index < 9; index += 1) {
    const product = Number(id[index]) * (index % 2 === 0 ? 2 : 1);
    sum += product > 9 ? product - 9 : product;
  }
  return (10 - (sum % 10)) % 10 === Number(id[9]);
}

function hasProvince(id: string): boolean {
  const province = Number(id.slice(0, 2));
  return (province >= 1 && province <= 24) || province === 30;
}
