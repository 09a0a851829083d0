import { readCode128 } from '../../../test/support/code128.js';
import { type GreyPage, itWithPoppler, pageImage, pageTexts, POPPLER, wordsOf } from '../../../test/support/pdf.js';
import { JPEG } from '../../../test/support/picture.js';
import type { DocumentExample } from '../document-types/document-type.js';
import { documentType, documentTypes } from '../document-types/registry.js';
import { figure } from './figures.js';
import { documentNumber, type RideInput, TITLES } from './input.js';
import { readLogo } from './logo.js';
import type { RideStatus } from './marks.js';
import { renderRide } from './ride.js';

const AUTHORIZED_AT = new Date('2026-09-16T15:04:05Z');

/** An example as it is printed once authorized. */
function printable(example: DocumentExample, change: Partial<RideInput> = {}): RideInput {
  const definition = documentType(example.content.documentType);
  if (definition === undefined) throw new Error('no such type');
  return {
    content: definition.normalise(example.content, example.issuer).content,
    issuer: example.issuer,
    numbering: example.numbering,
    authorization: { number: example.numbering.accessKey, date: AUTHORIZED_AT },
    logo: null,
    status: 'authorized',
    ...change,
  };
}

function named(type: string, name: string): DocumentExample {
  const example = documentType(type)?.examples.find((each) => each.name === name);
  if (example === undefined) throw new Error(`no example ${name} of ${type}`);
  return example;
}

const EXAMPLES = documentTypes.flatMap(({ code, examples }) =>
  examples.map((example) => [`${code} ${example.name}`, example] as const),
);

/** Every date of the file. */
const datesIn = (pdf: Buffer): string[] => pdf.toString('latin1').match(/D:\d{14}[^)]*/g) ?? [];

/** What a reader sees, without the blanks that breaking lines puts in. */
const squeezed = (text: string): string => text.replace(/\s+/g, '');

const shown = async (input: RideInput): Promise<string> => squeezed(wordsOf(await renderRide(input)));

describe('the printed document', () => {
  if (!POPPLER) console.warn('Poppler is not installed: what the printed pages show is not checked');

  it.each(EXAMPLES)('of %s is a PDF, byte for byte the same each time', async (_name, example) => {
    const [first, second] = [await renderRide(printable(example)), await renderRide(printable(example))];
    expect(first.subarray(0, 8).toString()).toBe('%PDF-1.3');
    expect(first.subarray(-6).toString().trim()).toBe('%%EOF');
    expect(second.equals(first)).toBe(true);
  });

  it('carries the dates of the document, never of its printing', async () => {
    const pdf = await renderRide(printable(named('01', 'full')));
    expect(datesIn(pdf)).toEqual(['D:20260916150405Z', 'D:20260916150405Z']);
    const draft = await renderRide(printable(named('01', 'full'), { numbering: null, authorization: null, status: 'draft' }));
    expect(datesIn(draft)).toEqual(['D:20260915050000Z', 'D:20260915050000Z']);
  });

  itWithPoppler.each(EXAMPLES)('of %s shows who, what, to whom and under which number', async (_name, example) => {
    const input = printable(example);
    const { content, issuer, numbering } = input;
    const text = await shown(input);
    const expected = [
      issuer.legalName,
      issuer.headOfficeAddress,
      `R.U.C. ${issuer.ruc}`,
      TITLES[content.documentType],
      `No. ${documentNumber(input)}`,
      `NÚMERO DE AUTORIZACIÓN ${numbering?.accessKey ?? '?'}`,
      'FECHA Y HORA DE AUTORIZACIÓN 16/09/2026 10:04:05',
      'AMBIENTE PRUEBAS',
      'EMISIÓN NORMAL',
      `CLAVE DE ACCESO ${numbering?.accessKey ?? '?'}`,
      'AMBIENTE DE PRUEBAS - SIN VALIDEZ TRIBUTARIA',
      `Obligado a llevar contabilidad ${issuer.keepsAccounts ? 'SI' : 'NO'}`,
      'RUC Proveedor',
      'Página 1 de',
      ...(content.documentType === '06' || content.documentType === '07' ? [] : content.lines.map((line) => line.subtotal)),
      ...(content.documentType === '06' ? [] : [figure(content.total)]),
      ...content.additionalInfo.map((entry) => entry.name),
      ...(content.documentType === '06' ? [] : [content.buyerName ?? '?', content.buyerId ?? '?']),
    ];
    expect(expected.filter((each) => !text.includes(squeezed(each)))).toEqual([]);
  });
});

describe('what each type shows', () => {
  itWithPoppler('an invoice: every rate of IVA, ICE, IRBPNR in the order of the SRI', async () => {
    const lines = pageTexts(await renderRide(printable(named('01', 'several-taxes')))).join('\n');
    const sums = [...lines.matchAll(/(SUBTOTAL [^\d\n]*\d*%?|ICE|IVA \d+%|IRBPNR|VALOR TOTAL)\s+(\d+\.\d{2})$/gm)];
    expect(sums.map(([, label, value]) => `${label?.trim()} ${value}`)).toEqual([
      'SUBTOTAL 15% 123.80',
      'SUBTOTAL 5% 10.00',
      'SUBTOTAL 0% 10.00',
      'SUBTOTAL NO OBJETO DE IVA 5.00',
      'SUBTOTAL EXENTO DE IVA 20.00',
      'SUBTOTAL SIN IMPUESTOS 148.00',
      'ICE 20.80',
      'IVA 15% 18.57',
      'IVA 5% 0.50',
      'IRBPNR 0.12',
      'VALOR TOTAL 187.99',
    ]);
  });

  /** Type, example and the texts that only this example shows. */
  const PARTS: readonly (readonly [string, string, readonly string[]])[] = [
    ['01', 'final-consumer', ['CONSUMIDOR FINAL', '9999999999999', 'FORMA DE PAGO']],
    [
      '01',
      'full',
      [
        'Contribuyente especial Nro.',
        'Agente de retención, resolución No.',
        'Gran Contribuyente',
        'NAC-GCFOIOC21-00000001',
        'Dirección sucursal',
        'Guía de remisión',
        '001-002-000000033',
        'Garantía: 12 meses',
        'PROPINA',
        'TOTAL DESCUENTO',
        '20 - Otros con utilización del sistema financiero',
        'días',
        'INFORMACIÓN ADICIONAL',
        'C-2026-17',
      ],
    ],
    ['01', 'popular-business', ['CONTRIBUYENTE NEGOCIO POPULAR - RÉGIMEN RIMPE']],
    ['01', 'export', ['EXPORTADOR', 'Puerto de embarque', '110 - Estados Unidos', 'FLETE INTERNACIONAL', '120.00']],
    ['01', 'reimbursement', ['COMPROBANTES DE REEMBOLSO', 'TOTAL COMPROBANTES REEMBOLSO', '28.00']],
    ['01', 'third-party-charges', ['OTROS RUBROS DE TERCEROS', 'Tasa de recolección de basura', '7.55']],
    ['01', 'substitute-guide', ['SUSTITUYE A LA GUÍA DE REMISIÓN', 'TRANSPORTISTA FICTICIO', 'PBA1234', 'Quito - Ambato']],
    ['03', 'full', ['PROVEEDORA DEL EXTERIOR S.L.', 'Calle Mayor 1, Madrid']],
    ['04', 'full', ['Comprobante que se modifica', 'FACTURA 001-002-000000101', '01/09/2026', 'Razón de modificación']],
    ['05', 'full', ['RAZÓN DE LA MODIFICACIÓN', 'VALOR DE LA', 'Flete no facturado', '20.50', 'FORMA DE PAGO']],
    [
      '06',
      'several-consignees',
      [
        'Punto de partida',
        'Placa',
        'Fecha inicio transporte',
        '16/09/2026',
        'DESTINATARIO 1 DE 2',
        'DESTINATARIO 2 DE 2',
        'Motivo del traslado',
        'Documento aduanero',
        'Comprobante de venta',
        '1409202601179001234400110010020000001021234567819',
      ],
    ],
    ['07', 'short', ['002-003-000000456', '09/2026', 'RENTA', 'Compra de bienes muebles', 'TOTAL RETENIDO', '65.00']],
    ['07', 'several-documents', ['DOCUMENTOS DE SUSTENTO', '25 cajas de banano a 8.00', 'Página 2 de 2', 'RETENCIÓN IVA']],
    ['07', 'abroad-dividend', ['Dividendos pagados el 14/09/2026', 'ISD', 'convenio de doble tributación: NO']],
  ];

  itWithPoppler.each(PARTS)('%s %s', async (type, name, texts) => {
    const text = await shown(printable(named(type, name)));
    expect(texts.filter((each) => !text.includes(squeezed(each)))).toEqual([]);
  });

  itWithPoppler('a short withholding: the percentage that its XML has, not a tariff beside it', async () => {
    const { content, ...input } = printable(named('07', 'short'));
    const told = { ...input, content: { ...content, taxes: content.taxes.map((tax) => ({ ...tax, tariff: '99.99' })) } };
    expect(await shown(told)).toBe(await shown({ ...input, content }));
  });

  // A draft is printed as it is, whatever its codes are.
  itWithPoppler.each(['toString', '__proto__', 'constructor'])('a draft with a code that every object has a property of: %s', async (code) => {
    const draftOf = (type: string, change: object): RideInput => {
      const input = printable(named(type, type === '07' ? 'short' : 'full'), { numbering: null, authorization: null, status: 'draft' });
      return { ...input, content: { ...input.content, taxes: input.content.taxes.map((tax) => ({ ...tax, ...change })) } };
    };
    expect(await shown(draftOf('07', { taxCode: code }))).toContain(code);
    const invoice = await shown(draftOf('01', { taxRateCode: code }));
    expect(invoice).not.toContain('nativecode');
    expect(invoice).not.toContain('[object');
  });

  itWithPoppler('a full withholding: a special-taxpayer number that its XML has no place for', async () => {
    const { issuer, ...input } = printable(named('07', 'full'));
    expect(await shown({ ...input, issuer: { ...issuer, specialTaxpayer: '1234567890123' } })).toContain('1234567890123');
  });

  itWithPoppler('a full withholding: a percentage only where the tax of its supporting document is one', async () => {
    const { content, ...input } = printable(named('07', 'full'));
    const withholding = content.withholding!;
    const tax = (taxCode: string, taxRateCode: string, tariff: string) => ({ taxCode, taxRateCode, tariff, taxableBase: '100.00', taxAmount: '1.00' });
    const taxes = [tax('2', '4', '15.00'), tax('3', '3011', '0.16'), tax('3', '3610', '20.00'), tax('3', '3533', '7.00'), tax('5', '5001', '0.02')];
    const supportingDocuments = withholding.supportingDocuments.map((document) => ({ ...document, taxes }));
    const text = await shown({ ...input, content: { ...content, withholding: { ...withholding, supportingDocuments } } });
    for (const name of ['IVA 15%', 'ICE, tarifa 0.16', 'ICE 20%', 'ICE, tarifa 7.00', 'IRBPNR, tarifa 0.02']) expect(text).toContain(squeezed(`${name}: base 100.00`));
  });

  itWithPoppler('the type of an identification beside its label, unless it is one itself', async () => {
    const { content, ...input } = printable(named('01', 'full'));
    const labelOf = async (buyerIdType: string): Promise<string> => shown({ ...input, content: { ...content, buyerIdType } });
    expect(await labelOf('05')).toContain('Identificación(Cédula)');
    expect(await labelOf('08')).toMatch(/[^(]Identificacióndelexterior(?!\))/);
  });

  itWithPoppler.each([['01', true], ['03', true], ['04', false], ['05', false], ['07', false]] as const)('%s: the address of the buyer as its XML has it: %s', async (type, isThere) => {
    const { content, ...input } = printable(named(type, 'full'));
    const told = { ...content, buyerAddress: 'Calle Sin Nombre 7' };
    expect(documentType(type)!.buildXml(told, input.issuer, input.numbering!).includes('Calle Sin Nombre 7')).toBe(isThere);
    expect((await shown({ ...input, content: told })).includes('CalleSinNombre7')).toBe(isThere);
  });

  itWithPoppler.each(['04', '07'] as const)('%s: payments and units of measure, which its XML does not have, are not printed', async (type) => {
    const { content, ...input } = printable(named(type, 'full'));
    const payments = [{ ...named('01', 'full').content.payments[0]!, total: '777.77' }];
    const told = { ...content, payments, lines: content.lines.map((line) => ({ ...line, unitOfMeasure: 'quintal' })) };
    const xml = documentType(type)!.buildXml(told, input.issuer, input.numbering!);
    const text = await shown({ ...input, content: told });
    for (const absent of ['777.77', 'quintal']) expect([xml.includes(absent), text.includes(absent)]).toEqual([false, false]);
    expect(text).not.toContain('FORMADEPAGO');
  });

  itWithPoppler('a guide shows no sums', async () => {
    expect(await shown(printable(named('06', 'full')))).not.toContain('TOTAL');
  });
});

describe('how far the document has come', () => {
  const STATES: readonly (readonly [RideStatus, '1' | '2', readonly string[], readonly string[]])[] = [
    ['authorized', '2', ['PRODUCCIÓN'], ['SIN VALIDEZ', 'AMBIENTE DE PRUEBAS', 'PENDIENTE']],
    ['authorized', '1', ['AMBIENTE DE PRUEBAS - SIN VALIDEZ TRIBUTARIA'], []],
    ['pending', '2', ['PENDIENTE DE AUTORIZACIÓN POR EL SRI'], ['SIN VALIDEZ']],
    ['pending', '1', ['PENDIENTE DE AUTORIZACIÓN POR EL SRI', 'AMBIENTE DE PRUEBAS'], []],
    ['draft', '2', ['BORRADOR - SIN VALIDEZ TRIBUTARIA', '001-002-BORRADOR', 'SIN ASIGNAR'], ['AMBIENTE DE PRUEBAS']],
    ['rejected', '2', ['NO AUTORIZADO POR EL SRI - SIN VALIDEZ TRIBUTARIA'], []],
    ['given_up', '2', ['NO EMITIDO - SIN VALIDEZ TRIBUTARIA'], ['NO AUTORIZADO']],
    ['abandoned', '2', ['ABANDONADO - SIN AUTORIZACIÓN CONOCIDA'], ['SIN VALIDEZ', 'NO EMITIDO', 'NO AUTORIZADO']],
    ['cancelled', '2', ['ANULADO - SIN VALIDEZ TRIBUTARIA'], []],
  ];

  itWithPoppler.each(STATES)('%s in environment %s', async (status, environment, present, absent) => {
    const example = named('01', 'full');
    const input = printable(example, {
      status,
      issuer: { ...example.issuer, environment },
      ...(status === 'draft' ? { numbering: null } : {}),
      ...(status === 'authorized' || status === 'cancelled' ? {} : { authorization: null }),
    });
    const text = await shown(input);
    expect(present.filter((each) => !text.includes(squeezed(each)))).toEqual([]);
    expect(absent.filter((each) => text.includes(squeezed(each)))).toEqual([]);
  });
});

describe('the barcode on paper', () => {
  itWithPoppler('is read as the access key, with blank space on both sides, 12 mm high', async () => {
    const input = printable(named('01', 'full'));
    const dpi = 600;
    const page = pageImage(await renderRide(input), 1, dpi);
    const readings = barcodeRows(page, (0.25 / 25.4) * dpi);
    expect(new Set(readings.map(({ text }) => text))).toEqual(new Set([input.numbering?.accessKey]));
    expect((readings.length / dpi) * 25.4).toBeGreaterThan(11.5);
    expect(Math.min(...readings.map(({ quiet }) => quiet))).toBeGreaterThanOrEqual(10);
  });
});

/** Every row of pixels that reads as Code 128, with the narrower of its blank sides in modules. */
function barcodeRows(page: GreyPage, module: number): { text: string; quiet: number }[] {
  return Array.from({ length: page.height }, (_, row) => row).flatMap((row) => {
    const runs = runsOf(page.pixels.subarray(row * page.width, (row + 1) * page.width)).map((run) => run / module);
    // Blank margins, the frame of the block and its inside come before and after the bars.
    const first = runs.findIndex((run, index) => index % 2 === 0 && index > 0 && run >= 9);
    const last = runs.findLastIndex((run, index) => index % 2 === 0 && index < runs.length - 1 && run >= 9);
    const bars = runs.slice(first + 1, last);
    const text = readCode128(bars.map(Math.round));
    return text === null ? [] : [{ text, quiet: Math.min(runs[first] ?? 0, runs[last] ?? 0) }];
  });
}

/** Lengths of white and black in turn, white first. */
function runsOf(row: Buffer): number[] {
  const runs: number[] = [];
  let black = false;
  let length = 0;
  for (const pixel of row) {
    // The light grey of the frame counts, that of the watermark does not.
    if (pixel < 225 !== black) {
      runs.push(length);
      black = !black;
      length = 0;
    }
    length += 1;
  }
  return [...runs, length];
}

describe('long documents', () => {
  const example = named('01', 'full');
  const lineOf = (index: number) => ({
    ...printable(example).content.lines[0],
    lineNumber: index + 1,
    mainCode: `P${String(index + 1).padStart(4, '0')}`,
    description: index % 5 === 0 ? `Artículo ${index + 1} con una descripción que necesita más de una línea de la tabla impresa` : `Artículo ${index + 1}`,
  });
  const long = (count: number): RideInput => {
    const input = printable(example);
    return { ...input, content: { ...input.content, lines: Array.from({ length: count }, (_, index) => lineOf(index)) } } as RideInput;
  };

  itWithPoppler('of 400 lines: head, number and page on every page, each line once, the sums with the last lines', async () => {
    const pages = pageTexts(await renderRide(long(400)));
    expect(pages.length).toBeGreaterThan(5);
    for (const [index, page] of pages.entries()) {
      expect(page).toMatch(/CÓDIGO .*DESCRIPCIÓN .*CANTIDAD/);
      expect(page).toContain(`Página ${index + 1} de ${pages.length}`);
      expect(page).toContain('No. 001-002-000000101');
    }
    const codes = pages.join('\n').match(/\bP\d{4}\b/g);
    expect(codes).toEqual(Array.from({ length: 400 }, (_, index) => `P${String(index + 1).padStart(4, '0')}`));
    expect(pages.at(-1)).toMatch(/P0399[\s\S]*P0400[\s\S]*VALOR TOTAL/);
    expect(pages.slice(0, -1).join('')).not.toContain('VALOR TOTAL');
  });

  itWithPoppler('never leave the sums alone on a page, nor cut a page off, whatever their length', async () => {
    for (let count = 8; count <= 40; count += 1) {
      const pages = pageTexts(await renderRide(long(count)));
      expect(pages.at(-1)).toMatch(/P\d{4}[\s\S]*VALOR TOTAL/);
      expect(pages.join('').match(/\bP\d{4}\b/g)).toHaveLength(count);
    }
  });
});

describe('an invoice that stands in for a delivery guide', () => {
  const withDestinations = (count: number): RideInput => {
    const input = printable(named('01', 'substitute-guide'));
    const guide = input.content.substituteGuide!;
    const destinations = Array.from({ length: count }, (_, index) => ({
      reason: `Motivo-${index + 1}.`,
      route: index % 2 === 0 ? `Ruta-${index + 1}.` : null,
      customsDocument: `DAU-${index + 1}.`,
      establishment: String(index + 1).padStart(3, '0'),
    }));
    return { ...input, content: { ...input.content, substituteGuide: { ...guide, destinations } } };
  };

  itWithPoppler('shows each of 40 destinations whole in a row of its own, on as many pages as it takes', async () => {
    const pages = pageTexts(await renderRide(withDestinations(40)));
    const text = pages.join('\n');
    for (let number = 1; number <= 40; number += 1) {
      const route = number % 2 === 1 ? `Ruta-${number}\\.\\s+` : '';
      expect(text).toMatch(new RegExp(`Motivo-${number}\\.\\s+${route}DAU-${number}\\.\\s+${String(number).padStart(3, '0')}`));
    }
    expect(text).toContain('VALOR TOTAL');
  });

  itWithPoppler('goes over pages with as many destinations as a request may hold', async () => {
    const pages = pageTexts(await renderRide(withDestinations(100)));
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.join('').match(/Motivo-\d+\./g)).toHaveLength(100);
  });
});

describe('awkward content', () => {
  const word = 'SUPERCALIFRAGILÍSTICO'.repeat(14);
  const TEXTS = [
    'Cien € y ½ kilo · «ñandú» — “comillas” … ™',
    '😀 👩‍👩‍👧‍👦 🇪🇨',
    '日本語 العربية עברית ไทย',
    'e\u0301 combinada, Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d',
    '\u{10ffff}\u{e000}\ufffd',
    word,
    `${'i'.repeat(300)} ${'W'.repeat(300)}`,
    '<b>&amp;</b> (paréntesis) \\ %PDF /Type',
    ' ',
  ];

  it.each(EXAMPLES)('in every text of %s is drawn', async (_name, example) => {
    for (const text of TEXTS) {
      const input = printable(example);
      const pdf = await renderRide({ ...input, ...(withTexts({ content: input.content, issuer: input.issuer }, text) as Pick<RideInput, 'content' | 'issuer'>) });
      expect(pdf.subarray(-6).toString().trim()).toBe('%%EOF');
    }
  });

  itWithPoppler('keeps every figure on the page when all are as long as they can be', async () => {
    const most = '99999999999.99';
    const { content, ...input } = printable(named('01', 'full'));
    const lines = content.lines.map((line) => ({
      ...line,
      mainCode: 'A'.repeat(25),
      auxCode: 'B'.repeat(25),
      unitOfMeasure: 'C'.repeat(50),
      description: word.slice(0, 300),
      quantity: '999999999.999999',
      unitPrice: '999999999.999999',
      discount: most,
      subtotal: most,
    }));
    const full = { ...input, content: { ...content, lines, total: most, subtotal: most, tip: most } };
    const pdf = await renderRide(full);
    for (const number of pageTexts(pdf).keys()) {
      const page = pageImage(pdf, number + 1, 72);
      const margin = Array.from({ length: page.height }, (_, row) => page.pixels.subarray((row + 1) * page.width - 35, (row + 1) * page.width));
      expect(margin.every((row) => row.every((pixel) => pixel === 255))).toBe(true);
    }
    expect(await shown(full)).toContain(most.repeat(2));
  });

  it('comes with a logo and without', async () => {
    const logo = readLogo(JPEG);
    if (typeof logo === 'string') throw new Error(logo);
    const input = printable(named('01', 'full'));
    expect((await renderRide({ ...input, logo })).includes('/Filter /DCTDecode')).toBe(true);
    expect((await renderRide(input)).includes('/Filter /DCTDecode')).toBe(false);
  });
});

/** Fields whose values are codes, days or figures, which reach the printer checked. */
const FREE_TEXT = new Set(['description', 'mainCode', 'auxCode', 'unitOfMeasure', 'name', 'value', 'buyerName', 'buyerAddress', 'buyerEmail', 'reason', 'legalName', 'tradeName', 'headOfficeAddress', 'establishmentAddress', 'concept', 'route', 'originAddress', 'address', 'plate']);

/** A copy with one text in place of every free text. */
function withTexts(value: unknown, text: string): unknown {
  if (Array.isArray(value)) return value.map((each) => withTexts(each, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, typeof inner === 'string' && FREE_TEXT.has(key) ? text : withTexts(inner, text)]),
  );
}
