import type { IssuerSnapshot } from '../document-types/content.js';
import { COLOR } from './page/style.js';

/** How far the document has come, as its reader needs to know. `given_up`: never sent; `abandoned`: sent, and the SRI's verdict is not known. */
export type RideStatus = 'draft' | 'pending' | 'authorized' | 'rejected' | 'given_up' | 'abandoned' | 'cancelled';

/** What every page says about a document that is not, or not yet, valid. */
export interface Mark {
  readonly text: string;
  readonly color: string;
  readonly shade: string;
  /** Slanted across the page; null: the band on top is enough. */
  readonly watermark: { readonly text: string; readonly color: string } | null;
}

const STATUS_MARKS: Readonly<Record<RideStatus, Mark | null>> = {
  authorized: null,
  pending: {
    text: 'PENDIENTE DE AUTORIZACIÓN POR EL SRI',
    color: COLOR.warning,
    shade: COLOR.warningShade,
    watermark: null,
  },
  draft: {
    text: 'BORRADOR - SIN VALIDEZ TRIBUTARIA',
    color: COLOR.danger,
    shade: COLOR.dangerShade,
    watermark: { text: 'BORRADOR - SIN VALIDEZ', color: COLOR.dangerMark },
  },
  rejected: {
    text: 'NO AUTORIZADO POR EL SRI - SIN VALIDEZ TRIBUTARIA',
    color: COLOR.danger,
    shade: COLOR.dangerShade,
    watermark: { text: 'NO AUTORIZADO', color: COLOR.dangerMark },
  },
  given_up: {
    text: 'NO EMITIDO - SIN VALIDEZ TRIBUTARIA',
    color: COLOR.danger,
    shade: COLOR.dangerShade,
    watermark: { text: 'NO EMITIDO', color: COLOR.dangerMark },
  },
  // The SRI may hold it, or have authorized it: nothing is said of its validity.
  abandoned: {
    text: 'ABANDONADO - SIN AUTORIZACIÓN CONOCIDA',
    color: COLOR.danger,
    shade: COLOR.dangerShade,
    watermark: { text: 'ABANDONADO', color: COLOR.dangerMark },
  },
  cancelled: {
    text: 'ANULADO - SIN VALIDEZ TRIBUTARIA',
    color: COLOR.danger,
    shade: COLOR.dangerShade,
    watermark: { text: 'ANULADO', color: COLOR.dangerMark },
  },
};

const TEST_MARK: Mark = {
  text: 'AMBIENTE DE PRUEBAS - SIN VALIDEZ TRIBUTARIA',
  color: COLOR.warning,
  shade: COLOR.warningShade,
  watermark: { text: 'PRUEBAS', color: COLOR.warningMark },
};

/** The mark of a document, or null for one that is authorized in production. The status outweighs the environment; both are said. */
export function markOf(status: RideStatus, environment: IssuerSnapshot['environment']): Mark | null {
  const mark = STATUS_MARKS[status];
  if (environment === '2') return mark;
  if (mark === null) return TEST_MARK;
  return { ...mark, text: `${mark.text}  ·  AMBIENTE DE PRUEBAS`, watermark: mark.watermark ?? TEST_MARK.watermark };
}
