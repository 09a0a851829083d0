import type { CodeRow, CodeTable } from './code-table.js';

const always = { from: null, to: null } as const;

/** Tax codes of table 16. */
export const TAX = { iva: '2', ice: '3', irbpnr: '5' } as const;

/** `codigo` of a tax. */
export const TAX_CODES: CodeTable = {
  name: 'taxes',
  source: 'Ficha técnica off-line 2.32, tabla 16',
  rows: [
    { code: TAX.iva, es: 'IVA', en: 'Value added tax', ...always },
    { code: TAX.ice, es: 'ICE', en: 'Tax on special consumption', ...always },
    { code: TAX.irbpnr, es: 'IRBPNR', en: 'Tax on plastic bottles', ...always },
  ],
};

export interface IvaRate extends CodeRow {
  /** Percentage as the XML writes it: `15.00`. */
  readonly percent: string;
}

/** The reduced rate of tourism, in force on decreed days only. */
export const TOURISM_RATE = '8';

const reducedForTourism = (from: string, to: string | null): IvaRate => ({
  code: TOURISM_RATE,
  es: 'IVA diferenciado (turismo, días decretados)',
  en: 'Reduced rate (tourism, decreed days)',
  percent: '8.00',
  from,
  to,
});

const perhapsForTourism = (from: string, to: string | null): IvaRate => ({ ...reducedForTourism(from, to), awaitsDecree: true });

/** `codigoPorcentaje` of IVA. Three codes mean no tax, for three different reasons. */
export const IVA_RATES: CodeTable<IvaRate> = {
  name: 'iva-rates',
  source: 'Ficha técnica off-line 2.32, tabla 17; D.E. 198, 196, 271, 304, 339 (2022); Circular NAC-DGECCGC25-00000006',
  rows: [
    { code: '0', es: '0 %', en: 'Zero rate', percent: '0.00', ...always },
    { code: '2', es: '12 %', en: '12 %', percent: '12.00', from: null, to: '2016-05-31' },
    { code: '2', es: '12 %', en: '12 %', percent: '12.00', from: '2017-06-01', to: '2024-03-31' },
    { code: '3', es: '14 %', en: '14 %', percent: '14.00', from: '2016-06-01', to: '2017-05-31' },
    { code: '4', es: '15 %', en: '15 %', percent: '15.00', from: '2024-04-01', to: null },
    {
      code: '5',
      es: '5 % (materiales de construcción)',
      en: '5 % (construction materials)',
      percent: '5.00',
      from: '2024-04-01',
      to: null,
    },
    { code: '6', es: 'No objeto de IVA', en: 'Outside the scope of IVA', percent: '0.00', ...always },
    { code: '7', es: 'Exento de IVA', en: 'Exempt from IVA', percent: '0.00', ...always },
    // Holidays of 2023 and 2025 by the calendar. No list of all decrees is known: days between those that are may have had one,
    // from the law on that allows them (Ley Orgánica para el Desarrollo Económico, 29 November 2021). The first was D.E. 339.
    perhapsForTourism('2021-11-29', '2022-02-25'),
    reducedForTourism('2022-02-26', '2022-03-01'),
    perhapsForTourism('2022-03-02', '2022-04-14'),
    reducedForTourism('2022-04-15', '2022-04-17'),
    perhapsForTourism('2022-04-18', '2023-02-17'),
    reducedForTourism('2023-02-18', '2023-02-21'),
    perhapsForTourism('2023-02-22', '2023-04-06'),
    reducedForTourism('2023-04-07', '2023-04-09'),
    perhapsForTourism('2023-04-10', '2023-11-01'),
    reducedForTourism('2023-11-02', '2023-11-05'),
    perhapsForTourism('2023-11-06', '2024-12-31'),
    reducedForTourism('2025-01-01', '2025-01-05'),
    perhapsForTourism('2025-01-06', '2025-02-28'),
    reducedForTourism('2025-03-01', '2025-03-04'),
    perhapsForTourism('2025-03-05', '2025-04-17'),
    reducedForTourism('2025-04-18', '2025-04-20'),
    // That of 1 to 4 November 2025 was of Imbabura, Carchi, Cayambe and Pedro Moncayo alone.
    perhapsForTourism('2025-04-21', '2025-12-31'),
    reducedForTourism('2026-01-01', '2026-01-04'),
    perhapsForTourism('2026-01-05', '2026-02-13'),
    reducedForTourism('2026-02-14', '2026-02-17'),
    // A decree names the days shortly before they come. With those of a new one, this row ends before them and another begins after.
    perhapsForTourism('2026-02-18', null),
    // Listed since the reform of 2024; no decree has put it into use so far.
    { code: '10', es: '13 %', en: '13 %', percent: '13.00', from: '2024-04-01', to: null, awaitsDecree: true },
  ],
};

export interface SpecificRate {
  /** US dollars per unit; null: the ficha names the part but not its amount. */
  readonly amount: string | null;
  readonly unit: string;
  /** The units are pieces, never parts of one. */
  readonly isCounted?: true;
}

export interface ExciseRate extends CodeRow {
  /** Ad valorem percentage, where the good has one. */
  readonly percent: string | null;
  /** Amount per unit, where the good has one; some goods have both. */
  readonly specific: SpecificRate | null;
}

/** The rates that the ficha prints are those of February to December 2023; the law in force decides, so they inform and do not refuse. */
const EXCISE_FROM = '2023-02-01';

const excise = (
  code: string,
  es: string,
  en: string,
  percent: string | null,
  specific: SpecificRate | null = null,
): ExciseRate => ({ code, es, en, percent, specific, from: EXCISE_FROM, to: null });

/** Form of a code of ICE. The table lacks those that came later and the pairs that customs uses (35xx to 38xx). */
export const EXCISE_CODE = /^[0-9]{4}$/;

/** `codigoPorcentaje` of ICE. */
export const ICE_RATES: CodeTable<ExciseRate> = {
  name: 'ice-rates',
  source: 'Ficha técnica off-line 2.32, tabla 18',
  rows: [
    excise('3011', 'Cigarrillos rubios', 'Cigarettes, blond', null, { amount: '0.16', unit: 'unit', isCounted: true }),
    excise('3021', 'Cigarrillos negros', 'Cigarettes, black', null, { amount: '0.16', unit: 'unit', isCounted: true }),
    excise('3023', 'Productos del tabaco excepto cigarrillos', 'Tobacco except cigarettes', '150.00'),
    excise('3031', 'Bebidas alcohólicas', 'Alcoholic drinks', '75.00', {
      amount: '10.00',
      unit: 'litre of pure alcohol',
    }),
    excise('3033', 'Alcohol', 'Alcohol', '75.00', { amount: '10.00', unit: 'litre of pure alcohol' }),
    // Its amount depends on the scale of the brewery.
    excise('3041', 'Cerveza industrial', 'Industrial beer', '75.00', { amount: null, unit: 'litre of pure alcohol' }),
    excise('3043', 'Cerveza artesanal', 'Craft beer', null, { amount: '1.50', unit: 'litre of pure alcohol' }),
    excise('3053', 'Bebidas gaseosas con alto contenido de azúcar', 'Soft drinks, high in sugar', null, {
      amount: '0.18',
      unit: '100 g of sugar',
    }),
    excise('3054', 'Bebidas gaseosas con bajo contenido de azúcar', 'Soft drinks, low in sugar', '10.00'),
    excise('3073', 'Vehículos hasta USD 20 000', 'Vehicles up to USD 20,000', '5.00'),
    excise('3075', 'Vehículos de USD 30 000 a 40 000', 'Vehicles, USD 30,000 to 40,000', '15.00'),
    excise('3077', 'Vehículos de USD 40 000 a 50 000', 'Vehicles, USD 40,000 to 50,000', '20.00'),
    excise('3078', 'Vehículos de USD 50 000 a 60 000', 'Vehicles, USD 50,000 to 60,000', '25.00'),
    excise('3079', 'Vehículos de USD 60 000 a 70 000', 'Vehicles, USD 60,000 to 70,000', '30.00'),
    excise('3080', 'Vehículos de más de USD 70 000', 'Vehicles above USD 70,000', '35.00'),
    excise('3081', 'Aviones, yates y barcos', 'Planes, yachts and boats', '10.00'),
    excise('3092', 'Televisión pagada', 'Pay television', '0.00'),
    excise('3093', 'Telefonía, sociedades', 'Telephone plans, companies', '15.00'),
    excise('3101', 'Bebidas energizantes', 'Energy drinks', '10.00'),
    excise('3111', 'Otras bebidas no alcohólicas', 'Other non-alcoholic drinks', null, {
      amount: '0.18',
      unit: '100 g of sugar',
    }),
    excise('3610', 'Perfumes y aguas de tocador', 'Perfumes', '20.00'),
    excise('3620', 'Videojuegos', 'Video games', '0.00'),
    excise('3630', 'Armas de fuego', 'Fire arms', '30.00'),
    excise('3640', 'Focos incandescentes', 'Incandescent lamps', '100.00'),
    excise('3660', 'Membresías y cuotas', 'Memberships', '35.00'),
    excise('3671', 'Calefones a gas', 'Gas water heaters', '100.00'),
    excise('3680', 'Fundas plásticas', 'Plastic bags', null, { amount: '0.08', unit: 'unit', isCounted: true }),
    excise('3681', 'Telefonía, personas naturales', 'Telephone plans, persons', '0.00'),
    excise('3682', 'Tabaco calentado y líquidos con nicotina', 'Heated tobacco and nicotine liquids', '150.00'),
    excise('3684', 'Camionetas hasta USD 30 000', 'Pick-ups up to USD 30,000', '5.00'),
    excise('3686', 'Vehículos de USD 20 000 a 30 000', 'Vehicles, USD 20,000 to 30,000', '10.00'),
    excise('3688', 'Híbridos hasta USD 35 000', 'Hybrids up to USD 35,000', '0.00'),
    excise('3691', 'Híbridos de USD 35 000 a 40 000', 'Hybrids, USD 35,000 to 40,000', '8.00'),
    excise('3692', 'Híbridos de USD 40 000 a 50 000', 'Hybrids, USD 40,000 to 50,000', '14.00'),
    excise('3695', 'Híbridos de USD 50 000 a 60 000', 'Hybrids, USD 50,000 to 60,000', '20.00'),
    excise('3696', 'Híbridos de USD 60 000 a 70 000', 'Hybrids, USD 60,000 to 70,000', '26.00'),
    excise('3698', 'Híbridos de más de USD 70 000', 'Hybrids above USD 70,000', '32.00'),
  ],
};

/** `codigoPorcentaje` of IRBPNR. */
export const IRBPNR_RATES: CodeTable<ExciseRate> = {
  name: 'irbpnr-rates',
  source: 'Ficha técnica off-line 2.32, tablas 16 y 18',
  rows: [
    {
      code: '5001',
      es: 'Botellas plásticas no retornables',
      en: 'Non-returnable plastic bottles',
      percent: null,
      specific: { amount: '0.02', unit: 'bottle', isCounted: true },
      ...always,
    },
  ],
};

/** Codes that `codigoAuxiliar` must carry for construction materials taxed at 5 %. */
export const CONSTRUCTION_MATERIALS: CodeTable = {
  name: 'construction-materials',
  source: 'Ficha técnica off-line 2.32, tabla 31; Res. NAC-DGERCGC24-00000013',
  rows: (
    [
      ['F010101', 'Varilla', 'Rod'],
      ['F010201', 'Arcilla', 'Clay'],
      ['F010202', 'Arena', 'Sand'],
      ['F010203', 'Cal', 'Lime'],
      ['F010204', 'Caliza', 'Limestone'],
      ['F010205', 'Piedra', 'Stone'],
      ['F010301', 'Hormigón premezclado', 'Ready-mixed concrete'],
      ['F010401', 'Cemento', 'Cement'],
      ['F010402', 'Residuo de cemento', 'Cement residue'],
      ['F010501', 'Chatarra', 'Scrap'],
      ['F010601', 'Mortero', 'Mortar'],
      ['F010701', 'Clínker', 'Clinker'],
      ['F010702', 'Puzolana', 'Pozzolan'],
      ['F010703', 'Yeso', 'Gypsum'],
      ['F010801', 'Adoquines', 'Pavers'],
      ['F010802', 'Bloques', 'Blocks'],
      ['F010803', 'Ladrillos', 'Bricks'],
      ['F010804', 'Prefabricados', 'Precast pieces'],
    ] as const
  ).map(([code, es, en]) => ({ code, es, en, from: '2024-04-01', to: null })),
};
