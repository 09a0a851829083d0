import type { IssuerSnapshot } from '../../document-types/content.js';
import { RIMPE_LEGEND } from '../../document-types/parts/tax-information.js';
import { type Block, paragraph, spacer, stack } from '../page/block.js';
import { field, fieldGrid } from '../page/field-grid.js';
import type { Pen } from '../page/pen.js';
import { TEXT, type TextStyle } from '../page/style.js';
import type { Logo } from '../logo.js';

const LOGO_BOX = { width: 200, height: 62 } as const;

/** Who issues: logo, names, addresses and the legends of the issuer's regime. Without a logo the name takes its place. */
export function issuerBlock(pen: Pen, issuer: IssuerSnapshot, logo: Logo | null, width: number): Block {
  const tradeName = issuer.tradeName === issuer.legalName ? null : issuer.tradeName;
  return stack([
    ...(logo === null ? [] : [logoBlock(pen, logo), spacer(8)]),
    paragraph(pen, issuer.legalName, nameStyle(issuer.legalName, logo !== null), width),
    ...(tradeName === null ? [] : [spacer(1), paragraph(pen, tradeName, TEXT.trade, width)]),
    spacer(7),
    fieldGrid(
      pen,
      [
        ...field('Dirección matriz', issuer.headOfficeAddress, 12),
        ...field('Dirección sucursal', issuer.establishmentAddress, 12),
        ...field('Contribuyente especial Nro.', issuer.specialTaxpayer, 6),
        ...field('Obligado a llevar contabilidad', issuer.keepsAccounts ? 'SI' : 'NO', 6),
        ...field('Agente de retención, resolución No.', issuer.withholdingAgent, 6),
        ...field('Gran Contribuyente, resolución', issuer.largeTaxpayer, issuer.withholdingAgent === null ? 12 : 6),
      ],
      width,
    ),
    ...(RIMPE_LEGEND[issuer.rimpe] === null ? [] : [spacer(6), paragraph(pen, RIMPE_LEGEND[issuer.rimpe] ?? '', TEXT.legend, width)]),
  ]);
}

/** The longer the name, the smaller: 300 characters must leave room for the rest. */
function nameStyle(name: string, besideLogo: boolean): TextStyle {
  if (name.length > 120) return { ...TEXT.issuer, size: 9.5 };
  return besideLogo || name.length > 60 ? TEXT.issuer : { ...TEXT.issuer, size: 15 };
}

function logoBlock(pen: Pen, logo: Logo): Block {
  const scale = Math.min(LOGO_BOX.width / logo.width, LOGO_BOX.height / logo.height);
  const height = logo.height * scale;
  return { height, draw: (x, y) => pen.image(logo.bytes, x, y, logo.width * scale, height) };
}
