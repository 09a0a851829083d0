import type { TaxpayerState } from './taxpayers.js';

/** What the public registry of taxpayers is asked: whether a RUC exists, whose it is, where its establishments are. */
export type RegistryQuestion = 'exists' | 'taxpayer' | 'establishments';

export interface RegistryOutcome {
  readonly question: RegistryQuestion;
  readonly found: boolean;
  /** As JSON; undefined is an answer without content. */
  readonly body: unknown;
}

const FIRST_NAMES = ['MARÍA', 'JOSÉ', 'ANA', 'LUIS', 'ROSA', 'CARLOS', 'LUCÍA', 'JORGE', 'ELENA', 'ÁNGEL'];
const SURNAMES = ['PÉREZ', 'NÚÑEZ', 'CEVALLOS', 'TOAPANTA', 'ZAMBRANO', 'GUAMÁN', 'MENDOZA', 'QUISHPE', 'ANDRADE', 'VERA'];
const TRADES = ['COMERCIAL', 'FERRETERÍA', 'FARMACIA', 'IMPORTADORA', 'CONSTRUCTORA', 'PANADERÍA', 'LIBRERÍA', 'TRANSPORTES', 'AGRÍCOLA', 'TEXTILES'];
const STREETS = ['AV. AMAZONAS', 'CALLE BOLÍVAR', 'AV. 9 DE OCTUBRE', 'CALLE SUCRE', 'AV. DE LAS AMÉRICAS', 'CALLE LARGA', 'AV. UNIDAD NACIONAL', 'CALLE OLMEDO', 'AV. LOJA', 'CALLE ROCAFUERTE'];

/** Answers as the registry does; everything about a taxpayer follows from the number, so that it is the same every time. */
export function askRegistry(question: RegistryQuestion, ruc: string, state: TaxpayerState): RegistryOutcome {
  const found = /^\d{10}001$/.test(ruc) && state.exists;
  switch (question) {
    case 'exists':
      return { question, found, body: found };
    case 'taxpayer':
      return { question, found, body: found ? [taxpayerOf(ruc, state)] : undefined };
    case 'establishments':
      return { question, found, body: found ? establishmentsOf(ruc, state) : undefined };
  }
}

function taxpayerOf(ruc: string, state: TaxpayerState): object {
  const isPerson = isPersonal(ruc);
  return {
    numeroRuc: ruc,
    razonSocial: isPerson ? personOf(ruc) : `${tradeOf(ruc)} S.A.`,
    estadoContribuyenteRuc: state.active ? 'ACTIVO' : 'SUSPENDIDO',
    actividadEconomicaPrincipal: 'VENTA AL POR MAYOR Y MENOR.',
    tipoContribuyente: isPerson ? 'PERSONA NATURAL' : 'SOCIEDAD',
    regimen: 'GENERAL',
    categoria: null,
    obligadoLlevarContabilidad: isPerson ? 'NO' : 'SI',
    agenteRetencion: 'NO',
    contribuyenteEspecial: 'NO',
    informacionFechasContribuyente: { fechaInicioActividades: '2015-01-05 00:00:00.0', fechaCese: '', fechaReinicioActividades: '', fechaActualizacion: '' },
    representantesLegales: null,
    motivoCancelacionSuspension: null,
    contribuyenteFantasma: 'NO',
    transaccionesInexistente: 'NO',
  };
}

function establishmentsOf(ruc: string, { active }: TaxpayerState): object[] {
  const branch = (numeroEstablecimiento: string, matriz: string, offset: number): object => ({
    nombreFantasiaComercial: isPersonal(ruc) ? null : tradeOf(ruc),
    tipoEstablecimiento: matriz === 'SI' ? 'MAT' : 'OFI',
    direccionCompleta: `${pick(STREETS, ruc, 8 - offset)} N${ruc.slice(4, 7)} / QUITO`,
    estado: active ? 'ABIERTO' : 'CERRADO',
    numeroEstablecimiento,
    matriz,
  });
  // The head office is not the first of the list at everybody's.
  return Number(ruc[9]) % 2 === 0 ? [branch('001', 'SI', 0)] : [branch('002', 'NO', 1), branch('001', 'SI', 0)];
}

const isPersonal = (ruc: string): boolean => Number(ruc[2]) < 6;
const pick = (names: readonly string[], ruc: string, place: number): string => names[Number(ruc[place])] ?? '';
const personOf = (ruc: string): string => `${pick(SURNAMES, ruc, 8)} ${pick(SURNAMES, ruc, 7)} ${pick(FIRST_NAMES, ruc, 6)} ${pick(FIRST_NAMES, ruc, 5)}`;
const tradeOf = (ruc: string): string => `${pick(TRADES, ruc, 8)} ${pick(SURNAMES, ruc, 7)} ${ruc.slice(3, 7)}`;
