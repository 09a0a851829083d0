import { z } from 'zod';
import { codePoints, shownText } from '../../../shared/text.js';
import type { Taxpayer } from '../domain/taxpayer.js';
import { RegistryUnavailable } from './taxpayer-registry.js';

/*
 * Everything that is expected of the registry's answers. It is no published interface: whatever differs from this is
 * taken for no answer, never for "no such taxpayer".
 */

const NAME_LENGTH = 300;
const ADDRESS_LENGTH = 500;
const WORD_LENGTH = 100;
const MOST_ESTABLISHMENTS = 5_000;

const text = (most: number) =>
  z
    .string()
    .max(8 * most)
    .transform(shownText)
    .refine((value) => codePoints(value) <= most);
/** Absent, null and blank are the same: nothing. */
const optional = (most: number) =>
  text(most)
    .nullish()
    .transform((value) => (value === undefined || value === '' ? null : value));

const taxpayers = z.array(
  z.object({
    numeroRuc: z.string(),
    razonSocial: text(NAME_LENGTH).refine((value) => value !== ''),
    estadoContribuyenteRuc: optional(WORD_LENGTH),
    tipoContribuyente: optional(WORD_LENGTH),
  }),
);

const establishments = z
  .array(
    z.object({
      numeroEstablecimiento: z.string(),
      nombreFantasiaComercial: optional(NAME_LENGTH),
      direccionCompleta: optional(ADDRESS_LENGTH),
      matriz: z.string().nullish(),
    }),
  )
  .max(MOST_ESTABLISHMENTS);

/** `existePorNumeroRuc`: plain `true` or `false`. @throws RegistryUnavailable */
export function readExists(body: string): boolean {
  return read(z.boolean(), body);
}

/** `obtenerPorNumerosRuc`: a list with the taxpayer; null when it is empty or has no content. @throws RegistryUnavailable */
export function readTaxpayer(body: string, ruc: string): Pick<Taxpayer, 'legalName' | 'status' | 'type'> | null {
  if (body === '') return null;
  const rows = read(taxpayers, body);
  if (rows.length === 0) return null;
  const own = rows.filter(({ numeroRuc }) => numeroRuc === ruc);
  const [row] = own;
  if (row === undefined || own.length > 1) throw new RegistryUnavailable('the answer is about somebody else');
  return { legalName: row.razonSocial, status: row.estadoContribuyenteRuc, type: row.tipoContribuyente };
}

/** `consultarPorNumeroRuc`: the establishments; what the head office says. @throws RegistryUnavailable */
export function readHeadOffice(body: string): Pick<Taxpayer, 'tradeName' | 'address'> {
  const rows = body === '' ? [] : read(establishments, body);
  const office = rows.find(({ matriz }) => matriz === 'SI') ?? rows.find(({ numeroEstablecimiento }) => numeroEstablecimiento === '001');
  return { tradeName: office?.nombreFantasiaComercial ?? null, address: office?.direccionCompleta ?? null };
}

function read<Shape extends z.ZodType>(shape: Shape, body: string): z.output<Shape> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    // A page of maintenance, half an answer. The parser's words would quote it.
    throw new RegistryUnavailable('the answer is not JSON');
  }
  const parsed = shape.safeParse(value);
  if (!parsed.success) throw new RegistryUnavailable('the answer has another shape');
  return parsed.data;
}
