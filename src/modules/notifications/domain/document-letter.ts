import { guayaquilTimestamp } from '../../../shared/guayaquil.js';
import type { DocumentTypeCode } from '../../../sri/document-types/content.js';
import type { Language } from '../../../shared/language.js';
import { nameOfType, wordsOf } from './document-words.js';
import { layout, type Page } from './layout.js';
import { fill, type Placeholder } from './template.js';

/** What a mail says about a document. */
export interface DocumentFacts {
  readonly documentType: DocumentTypeCode;
  /** `001-002-000000003`. */
  readonly number: string;
  readonly issueDate: string;
  readonly total: string;
  readonly accessKey: string;
  readonly authorizationDate: Date | null;
  readonly buyerName: string | null;
  readonly issuer: { readonly name: string; readonly legalName: string; readonly ruc: string };
  /** What a credit or debit note is about. */
  readonly modified: { readonly documentType: string; readonly number: string } | null;
  /** The transport of a delivery guide; null for other types. */
  readonly trip: { readonly startDate: string; readonly endDate: string; readonly plate: string } | null;
  readonly isTest: boolean;
}

/** How a tenant wants its mails; null: the service's own words. */
export interface MailStyle {
  readonly language: Language;
  readonly replyTo: string | null;
  readonly subject: string | null;
  readonly message: string | null;
}

export interface WrittenLetter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Most characters of a subject that mail programs take without cutting it in an odd place. */
const LONGEST_SUBJECT = 200;

/** A name that ends a sentence: those that end in a full stop, as `S.A.`, get no second one. */
const ended = (name: string): string => (name.endsWith('.') ? name : `${name}.`);

const PHRASES = {
  es: {
    subject: '{{document_type}} {{document_number}} de {{issuer_name}}',
    message: (phrase: string, isMale: boolean) =>
      `Hola, {{buyer_name}}:\n\n{{issuer_name}} le envía ${phrase} {{document_number}}, ${isMale ? 'autorizado' : 'autorizada'} por el SRI.\n\n` +
      'Adjuntamos el archivo XML, que es el documento válido ante el SRI, y su representación impresa (RIDE) en PDF.',
    buyer: 'cliente',
    issueDate: 'Fecha de emisión', modified: 'Documento modificado', trip: 'Traslado', plate: 'Placa', authorization: 'Fecha de autorización', accessKey: 'Clave de acceso y número de autorización',
    tripDays: (start: string, end: string) => (start === end ? start : `del ${start} al ${end}`),
    test: 'Emitido en el ambiente de pruebas del SRI: no tiene validez tributaria.',
    answer: (issuer: string, replyTo: string | null) =>
      replyTo === null ? `Este correo es automático y nadie lee las respuestas. Si tiene preguntas, diríjase a ${ended(issuer)}` : `¿Preguntas? Responda a este correo: le contestará ${issuer} (${replyTo}).`,
    sender: (legalName: string, ruc: string) => `Enviado por cuenta de ${legalName}, RUC ${ruc}.`,
  },
  en: {
    subject: '{{document_type}} {{document_number}} from {{issuer_name}}',
    message: (phrase: string) =>
      `Hello, {{buyer_name}}:\n\n{{issuer_name}} is sending you ${phrase} {{document_number}}, authorized by Ecuador's tax authority (SRI).\n\n` +
      'Attached are the XML file, which is the document that is valid before the SRI, and its printed representation (RIDE) as PDF.',
    buyer: 'customer',
    issueDate: 'Issue date', modified: 'Document modified', trip: 'Trip', plate: 'Plate', authorization: 'Authorized', accessKey: 'Access key and authorization number',
    tripDays: (start: string, end: string) => (start === end ? start : `${start} to ${end}`),
    test: "Issued in the SRI's test environment: it has no fiscal effect.",
    answer: (issuer: string, replyTo: string | null) =>
      replyTo === null ? `This mail was sent automatically and nobody reads replies to it. If you have questions, please contact ${ended(issuer)}` : `Questions? Reply to this mail: ${issuer} (${replyTo}) will answer.`,
    sender: (legalName: string, ruc: string) => `Sent on behalf of ${legalName}, RUC ${ruc}.`,
  },
} as const;

/** The mail that brings a document to its reader. */
export function documentLetter(facts: DocumentFacts, style: MailStyle): WrittenLetter {
  const { language, replyTo } = style;
  const say = PHRASES[language];
  const words = wordsOf(facts.documentType, language);
  const values = valuesOf(facts, language);
  // A tenant's own may be of nothing but what this document does not have, as a guide has no total.
  const subject = oneLine(fill(style.subject ?? '', values)) || oneLine(fill(say.subject, values));
  const page: Page = {
    language,
    sender: oneLine(facts.issuer.name),
    title: `${words.name} ${facts.number}`,
    figure: words.total === null ? null : { name: words.total, value: values.total },
    warning: facts.isTest ? say.test : null,
    message: fill(style.message ?? say.message(words.phrase, words.phrase.startsWith('el ')), values),
    rows: rowsOf(facts, language),
    footer: [say.answer(oneLine(facts.issuer.name), replyTo), say.sender(oneLine(facts.issuer.legalName), facts.issuer.ruc)],
  };
  return { subject: Array.from(subject).slice(0, LONGEST_SUBJECT).join(''), ...layout(page) };
}

function rowsOf(facts: DocumentFacts, language: Language): Page['rows'] {
  const say = PHRASES[language];
  const { modified, trip, authorizationDate } = facts;
  const present: readonly (readonly [string, string] | null)[] = [
    [say.issueDate, day(facts.issueDate, language)],
    modified === null ? null : [say.modified, `${nameOfType(modified.documentType, language)} ${modified.number}`],
    trip === null ? null : [say.trip, say.tripDays(day(trip.startDate, language), day(trip.endDate, language))],
    trip === null ? null : [say.plate, oneLine(trip.plate)],
    authorizationDate === null ? null : [say.authorization, moment(authorizationDate, language)],
    [say.accessKey, facts.accessKey],
  ];
  return present.filter((row) => row !== null);
}

function valuesOf(facts: DocumentFacts, language: Language): Readonly<Record<Placeholder, string>> {
  return {
    buyer_name: oneLine(facts.buyerName ?? '') || PHRASES[language].buyer,
    issuer_name: oneLine(facts.issuer.name),
    document_type: wordsOf(facts.documentType, language).name,
    document_number: facts.number,
    issue_date: day(facts.issueDate, language),
    total: wordsOf(facts.documentType, language).total === null ? '' : `$ ${facts.total}`,
    access_key: facts.accessKey,
    authorization_date: facts.authorizationDate === null ? '' : moment(facts.authorizationDate, language),
  };
}

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

/** `15/09/2026`, or `15 September 2026`: there the numbers alone could be read either way. */
function day(date: string, language: Language): string {
  const [year = '', month = '', dayOfMonth = ''] = date.split('-');
  return language === 'es' ? `${dayOfMonth}/${month}/${year}` : `${Number(dayOfMonth)} ${MONTHS[Number(month) - 1] ?? month} ${year}`;
}

/** In Ecuador's time, to the minute. */
export function moment(instant: Date, language: Language): string {
  const stamp = guayaquilTimestamp(instant);
  return `${day(stamp.slice(0, 10), language)}, ${stamp.slice(11, 16)}`;
}

/** Words of somebody else's choosing stay on one line, without control characters. */
export const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
