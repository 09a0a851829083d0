import type { Language } from '../../shared/language.js';
import { guayaquilDay } from '../../shared/guayaquil.js';
import { RSA_LIMITS } from '../../sri/signing/certificate.js';
import { type CheckFinding, type CheckName, type CheckReason, INVALID_CERTIFICATE_REASONS } from './domain/certificate-checks.js';

type Detail = CheckFinding['detail'];
type Say = (detail: Detail) => string;
type Both = readonly [es: Say, en: Say];
type Messages = { readonly [Name in CheckName]: Readonly<Record<CheckReason<Name>, Both>> };

const same = (es: string, en: string): Both => [() => es, () => en];
/** As a calendar in Ecuador has it. */
const day = (value: unknown): string => guayaquilDay(new Date(String(value)));
const list = (value: unknown, none: string): string => (Array.isArray(value) && value.length > 0 ? value.map(String).join(', ') : none);

/** What is said of everything that may be found, both languages in one row. */
const MESSAGES: Messages = {
  container: {
    opened: same('El archivo se abre con la contraseña', 'The file opens with the password'),
    malformed: same('El archivo no es un contenedor PKCS#12 (.p12) legible', 'The file is not a readable PKCS#12 container (.p12)'),
    wrong_password: same('La contraseña no abre el archivo', 'The password does not open the file'),
    unsupported_algorithm: same('El archivo está cifrado con un algoritmo no admitido', 'The file is encrypted with an algorithm that is not supported'),
    too_many_iterations: same('El archivo exige demasiado cálculo para abrirse', 'The file demands too much computation to be opened'),
    too_costly: same('El archivo exige demasiado tiempo o memoria para abrirse', 'The file takes too much time or memory to open'),
  },
  signing_certificate: {
    only_pair: same('El archivo trae un certificado con su clave', 'The file holds one certificate with its key'),
    chosen: [
      (d) => `El archivo trae ${String(d['pairs'])} certificados con su clave; se eligió el que firma`,
      (d) => `The file holds ${String(d['pairs'])} certificates with their keys; the one that signs was chosen`,
    ],
    authority_certificate: same('El único certificado con clave es el de una autoridad', 'The only certificate with a key is that of an authority'),
    no_private_key: same('El archivo no trae la clave privada', 'The file holds no private key'),
    no_certificate: same('El archivo no trae ningún certificado', 'The file holds no certificate'),
    key_mismatch: same('Ningún certificado del archivo corresponde a su clave privada', 'No certificate of the file belongs to its private key'),
    unsupported_key: same('La clave privada es de un tipo que no se puede leer', 'The private key is of a type that cannot be read'),
  },
  ruc: {
    carried: [(d) => `El certificado lleva el RUC del emisor, ${String(d['ruc'])}`, (d) => `The certificate carries the RUC of the issuer, ${String(d['ruc'])}`],
    ruc_mismatch: [
      (d) => `El certificado no es del RUC ${String(d['issuer_ruc'])}; lleva: ${list(d['certificate_rucs'], 'ninguno')}`,
      (d) => `The certificate is not of the RUC ${String(d['issuer_ruc'])}; it carries: ${list(d['certificate_rucs'], 'none')}`,
    ],
  },
  key_usage: {
    signs: same('El certificado es para firma digital', 'The certificate is for digital signatures'),
    no_signing_key: [
      (d) => `El certificado no es para firma digital; su uso: ${list(d['key_usage'], 'ninguno')}`,
      (d) => `The certificate is not for digital signatures; its use: ${list(d['key_usage'], 'none')}`,
    ],
  },
  validity: {
    in_force: [(d) => `El certificado está vigente hasta el ${day(d['valid_to'])}`, (d) => `The certificate is in force until ${day(d['valid_to'])}`],
    expiring: [
      (d) => `El certificado caduca el ${day(d['valid_to'])} (días restantes: ${String(d['days_left'])})`,
      (d) => `The certificate expires on ${day(d['valid_to'])} (days left: ${String(d['days_left'])})`,
    ],
    expired: [(d) => `El certificado caducó el ${day(d['valid_to'])}`, (d) => `The certificate expired on ${day(d['valid_to'])}`],
    not_yet_valid: [(d) => `El certificado vale desde el ${day(d['valid_from'])}`, (d) => `The certificate is valid from ${day(d['valid_from'])} on`],
  },
  key_size: {
    strong: [(d) => `La clave es RSA de ${String(d['bits'])} bits`, (d) => `The key is RSA of ${String(d['bits'])} bits`],
    unsupported_key: same('La clave no es RSA', 'The key is not RSA'),
    weak_key: [
      (d) => `La clave RSA debe tener de ${RSA_LIMITS.minBits} a ${RSA_LIMITS.maxBits} bits y un exponente de al menos ${RSA_LIMITS.minExponent}; tiene ${String(d['bits'])} bits`,
      (d) => `The RSA key must have ${RSA_LIMITS.minBits} to ${RSA_LIMITS.maxBits} bits and an exponent of at least ${RSA_LIMITS.minExponent}; it has ${String(d['bits'])} bits`,
    ],
  },
  chain: {
    complete: same('El archivo trae la cadena completa hasta la autoridad raíz y sus firmas son válidas', 'The file holds the whole chain up to the root authority, and its signatures are valid'),
    incomplete: same('El archivo no trae la cadena completa hasta la autoridad raíz', 'The file does not hold the whole chain up to the root authority'),
    authority_expired: [
      (d) => `El certificado de una autoridad de la cadena caducó el ${day(d['valid_to'])}`,
      (d) => `The certificate of an authority of the chain expired on ${day(d['valid_to'])}`,
    ],
    chain_broken: same('Una firma de la cadena no es de la autoridad que se nombra', 'A signature of the chain is not that of the authority that it names'),
    self_signed: same('El certificado no lo emitió ninguna autoridad', 'The certificate was not issued by an authority'),
  },
  issuing_body: {
    recognized: [(d) => `Quien emite se nombra ${String(d['body'])}, entidad acreditada en Ecuador`, (d) => `The issuer names itself ${String(d['body'])}, a body accredited in Ecuador`],
    unknown_body: same('No se reconoce a quien emite como entidad acreditada en Ecuador', 'The issuer is not recognized as a body accredited in Ecuador'),
  },
  test_signature: {
    verified: same('Una firma de prueba se hizo y se verificó', 'A test signature was made and verified'),
    test_signature_failed: same('La firma de prueba no se verificó', 'The test signature was not verified'),
    signature_too_large: same(
      'Una firma con este certificado ocuparía más de lo que se reserva para ella en un documento: el certificado es demasiado grande',
      'A signature with this certificate would take more than a document has room for: the certificate is too large',
    ),
    not_tried: same('No se hizo firma de prueba: la clave no sirve', 'No test signature was made: the key cannot serve'),
  },
};

/** What was found, in words. */
export function checkMessage({ check, detail }: CheckFinding, language: Language): string {
  const messages: Readonly<Record<string, Both>> = MESSAGES[check];
  const [es, en] = messages[detail.reason] ?? [() => detail.reason, () => detail.reason];
  return language === 'es' ? es(detail) : en(detail);
}

/** Facts of a made-up file, for words that name some. */
const SAMPLE = { issuer_ruc: '1790012345001', certificate_rucs: ['0990012345001'], key_usage: ['keyEncipherment'], valid_from: '2027-01-04T05:00:00.000Z', bits: 1024 } as const;

/** Every `detail.reason` of `INVALID_CERTIFICATE` with the check that finds it and its `detail.explanation`: what `docs/errors.md` lists. */
export const invalidCertificateReasons = (): readonly { readonly check: string; readonly reason: string; readonly es: string; readonly en: string }[] =>
  INVALID_CERTIFICATE_REASONS.map(({ check, reason }) => {
    const finding: CheckFinding = { check, outcome: 'failed', detail: { ...SAMPLE, reason } };
    return { check, reason, es: checkMessage(finding, 'es'), en: checkMessage(finding, 'en') };
  });
