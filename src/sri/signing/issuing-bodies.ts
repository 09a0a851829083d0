/**
 * Bodies that Ecuador's ARCOTEL accredited to issue signing certificates, by the words with which they name themselves
 * as issuers. New ones are accredited: one that is missing here is unknown, not wrong.
 */
const ISSUING_BODIES: readonly (readonly [body: string, words: RegExp])[] = [
  ['Banco Central del Ecuador', /\bBANCO CENTRAL DEL ECUADOR\b/],
  ['Consejo de la Judicatura', /\bCONSEJO DE LA JUDICATURA\b|\bICERT-?EC\b/],
  ['Security Data', /\bSECURITY ?DATA\b/],
  ['ANF AC', /\bANF ?AC\b|\bANF AUTORIDAD DE CERTIFICACION\b/],
  ['Uanataca', /\bUANATACA\b/],
  ['Datil', /\bDATIL(?: ?MEDIA)?\b/],
  ['Eclipsoft', /\bECLIPSOFT\b/],
  ['Argosdata', /\bARGOS ?DATA\b/],
  ['Lazzate', /\bLAZZATE\b|\bENEXT\b/],
  ['Firmasegura', /\bFIRMA ?SEGURA\b/],
  ['CorpNewBest', /\bCORP ?NEW ?BEST\b/],
  ['AppFirmas', /\bAPP ?FIRMAS\b/],
  ['Alpha Technologies', /\bALPHA TECHNOLOGIES\b/],
  ['DarkCam', /\bDARK ?CAM\b/],
  ['Letmi', /\bLETMI\b/],
  ['Primecore', /\bPRIMECORE(?: ?LAT(?:AM)?)?\b/],
];

/** The accredited body that a distinguished name of an issuer names, or null. A name alone proves nothing. */
export function issuingBodyOf(issuerName: string): string | null {
  const plain = issuerName.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase();
  return ISSUING_BODIES.find(([, words]) => words.test(plain))?.[0] ?? null;
}
