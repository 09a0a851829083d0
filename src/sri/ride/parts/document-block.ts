import { barcode } from '../page/barcode.js';
import { type Block, paragraph, spacer, stack } from '../page/block.js';
import { type Field, fieldGrid } from '../page/field-grid.js';
import type { Pen } from '../page/pen.js';
import { COLOR, inColor, lineHeight, TEXT } from '../page/style.js';
import { moment } from '../figures.js';
import { documentNumber, type RideInput, TITLES } from '../input.js';
import type { RideStatus } from '../marks.js';

const INSET = 10;

const NOT_AUTHORIZED: Readonly<Record<RideStatus, string>> = {
  draft: 'SIN AUTORIZACIÓN',
  pending: 'PENDIENTE',
  authorized: '—',
  rejected: 'NO AUTORIZADO',
  given_up: 'SIN AUTORIZACIÓN',
  abandoned: 'NO CONOCIDA',
  cancelled: '—',
};

/** Which document it is: number, authorization, environment and the access key with its barcode. */
export function documentBlock(pen: Pen, input: RideInput, width: number): Block {
  const { issuer, numbering, authorization, content } = input;
  const inner = width - 2 * INSET;
  const title = TITLES[content.documentType];
  const test = issuer.environment === '1';
  // In the off-line scheme the access key is the authorization number.
  const number = authorization?.number ?? numbering?.accessKey ?? 'SIN ASIGNAR';
  const dates: Field[] = [
    {
      label: 'FECHA Y HORA DE AUTORIZACIÓN',
      value: authorization === null ? NOT_AUTHORIZED[input.status] : moment(authorization.date),
      span: 6,
    },
    {
      label: 'AMBIENTE',
      value: test ? 'PRUEBAS' : 'PRODUCCIÓN',
      span: 3,
      style: test ? inColor(TEXT.strong, COLOR.danger) : TEXT.value,
    },
    { label: 'EMISIÓN', value: 'NORMAL', span: 3 },
  ];
  const inside = stack([
    fieldGrid(pen, [{ label: 'R.U.C.', value: issuer.ruc, span: 12, style: TEXT.ruc }], inner),
    spacer(5),
    paragraph(pen, title, title.length > 40 ? { ...TEXT.title, size: 10.5 } : TEXT.title, inner),
    spacer(1),
    paragraph(pen, `No. ${documentNumber(input)}`, TEXT.number, inner),
    spacer(7),
    fieldGrid(pen, [{ label: 'NÚMERO DE AUTORIZACIÓN', value: number, span: 12, style: TEXT.digits }, ...dates], inner),
    spacer(7),
    keyBlock(pen, numbering?.accessKey ?? null, inner),
  ]);
  const height = inside.height + 2 * INSET - 2;
  return {
    height,
    draw(x, y) {
      pen.frame(x, y, width, height);
      inside.draw(x + INSET, y + INSET);
    },
  };
}

/** The access key: label, barcode, and its 49 digits in one line below. */
function keyBlock(pen: Pen, accessKey: string | null, width: number): Block {
  if (accessKey === null) return fieldGrid(pen, [{ label: 'CLAVE DE ACCESO', value: 'SIN ASIGNAR', span: 12 }], width);
  const bars = barcode(pen, accessKey);
  const labelHeight = lineHeight(TEXT.label) + 2;
  return {
    height: labelHeight + bars.height + 2 + lineHeight(TEXT.digits),
    draw(x, y) {
      pen.write('CLAVE DE ACCESO', x, y, TEXT.label);
      bars.draw(x + (width - bars.width) / 2, y + labelHeight);
      pen.write(accessKey, x + width / 2, y + labelHeight + bars.height + 2, TEXT.digits, 'center');
    },
  };
}
