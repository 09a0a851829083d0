import { XMLParser } from 'fast-xml-parser';
import { unzip } from './unzip.js';

const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '', parseTagValue: false, parseAttributeValue: false, trimValues: false, processEntities: true, isArray: (name) => ['row', 'c', 'sheet', 'Relationship'].includes(name) });

interface Cell {
  readonly r: string;
  readonly t?: string;
  readonly v?: string;
  readonly is?: { readonly t: string | { readonly '#text'?: string } };
}

interface Sheet {
  readonly worksheet: { readonly sheetData: { readonly row?: readonly { readonly r: string; readonly c?: readonly Cell[] }[] } };
}

/** Sheets of a workbook in their order: names, and rows by column letter. */
export function readWorkbook(bytes: Buffer): { name: string; rows: Record<string, string>[] }[] {
  const files = unzip(bytes);
  const part = (path: string): unknown => parser.parse((files.get(path) ?? Buffer.alloc(0)).toString());
  const { workbook } = part('xl/workbook.xml') as { workbook: { sheets: { sheet: { name: string; 'r:id': string }[] } } };
  const { Relationships } = part('xl/_rels/workbook.xml.rels') as { Relationships: { Relationship: { Id: string; Target: string }[] } };
  const targets = new Map(Relationships.Relationship.map(({ Id, Target }) => [Id, Target]));
  return workbook.sheets.sheet.map((sheet) => ({
    name: sheet.name,
    rows: ((part(`xl/${targets.get(sheet['r:id']) ?? ''}`) as Sheet).worksheet.sheetData.row ?? []).map(({ c = [] }) =>
      Object.fromEntries(c.map((cell) => [cell.r.replace(/\d+$/, ''), cell.t === 'inlineStr' ? textOf(cell) : (cell.v ?? '')]))),
  }));
}

const textOf = ({ is }: Cell): string => (typeof is?.t === 'string' ? is.t : (is?.t['#text'] ?? ''));
