import { daysBetween, guayaquilDay } from '../../../shared/guayaquil.js';
import type { Language } from '../../../shared/language.js';
import { moment, oneLine, type WrittenLetter } from './document-letter.js';
import { nameOfType } from './document-words.js';
import { layout } from './layout.js';

/** News that a tenant's admins get by mail: each kind as it stands when the mail is written. */

export interface CertificateNews {
  readonly issuer: string;
  readonly validTo: Date;
}
export interface SequenceNews {
  readonly issuer: string;
  /** `001-002`. */
  readonly point: string;
  readonly documentType: string;
  readonly remaining: number;
}
export interface PauseNews {
  readonly issuer: string;
  /** Establishment and point, as far as the pause is about one. */
  readonly place: string | null;
  readonly documentType: string | null;
  readonly sriCode: string;
  readonly since: Date;
}
export interface WebhookNews {
  readonly url: string;
}
export interface ReviewNews {
  readonly issuer: string;
  readonly documents: number;
}

/** News of one kind, and how many more of it there are. */
export type News = { readonly more: number } & (
  | { readonly type: 'certificate.expiring' | 'certificate.expired'; readonly items: readonly CertificateNews[] }
  | { readonly type: 'sequence.low'; readonly items: readonly SequenceNews[] }
  | { readonly type: 'issuer.paused'; readonly items: readonly PauseNews[] }
  | { readonly type: 'webhook.disabled'; readonly items: readonly WebhookNews[] }
  | { readonly type: 'document.manual_review_required'; readonly items: readonly ReviewNews[] }
);

export type NoticeType = News['type'];

interface Wording {
  readonly title: string;
  readonly message: string;
  readonly rows: readonly (readonly [string, string])[];
}

/** What becomes of a mail whose news are no news any more: nobody was written to. */
export const SETTLED_UNTOLD = 'settled before it was told';

const HOUR_MS = 3_600_000;
/** Between two mails of a kind, to the same tenant: what happens meanwhile comes in the next one. */
export const QUIET_MS: Readonly<Record<NoticeType, number>> = {
  'certificate.expiring': HOUR_MS,
  'certificate.expired': HOUR_MS,
  'sequence.low': HOUR_MS,
  'issuer.paused': HOUR_MS,
  'webhook.disabled': HOUR_MS,
  'document.manual_review_required': 24 * HOUR_MS,
};

export const isNotice = (type: string): type is NoticeType => Object.hasOwn(QUIET_MS, type);

/** The mail that brings news to an admin. */
export function noticeLetter(news: News, tenantName: string, language: Language, now: Date): WrittenLetter {
  const { title, message, rows: told } = language === 'es' ? spanish(news, now) : english(news, now);
  const rows = news.more === 0 ? told : [...told, more(news, language)];
  const tenant = oneLine(tenantName);
  const footer = language === 'es' ? `Le escribimos porque administra ${tenant} en Sello.` : `You are told because you administer ${tenant} at Sello.`;
  return { subject: `${title} (${tenant})`, ...layout({ language, sender: 'Sello', title, figure: null, warning: null, message, rows, footer: [footer] }) };
}

function more({ type, more: count }: News, language: Language): readonly [string, string] {
  // Their rows count documents.
  if (type === 'document.manual_review_required') return language === 'es' ? ['Otros emisores', String(count)] : ['Other issuers', String(count)];
  return language === 'es' ? ['Y otros', `${count} más`] : ['And others', `${count} more`];
}

function spanish(news: News, now: Date): Wording {
  const type = (code: string | null): string => (code === null ? '' : nameOfType(code, 'es'));
  switch (news.type) {
    case 'certificate.expiring':
    case 'certificate.expired': {
      const expired = news.type === 'certificate.expired';
      return {
        title: expired ? 'Un certificado de firma caducó' : 'Un certificado de firma está por caducar',
        message: expired
          ? 'Sin un certificado vigente no se firma ningún documento: los que se emitan esperan hasta que suba otro.'
          : 'Suba un certificado nuevo antes de esa fecha para seguir emitiendo sin interrupción.',
        rows: news.items.map(({ issuer, validTo }) => {
          const left = daysLeft(validTo, now);
          const ends = left < 0 || validTo <= now ? `Caducó el ${moment(validTo, 'es')}` : `Caduca el ${moment(validTo, 'es')} (${left === 0 ? 'hoy' : left === 1 ? 'falta 1 día' : `faltan ${left} días`})`;
          return [oneLine(issuer), ends];
        }),
      };
    }
    case 'sequence.low':
      return {
        title: 'Quedan pocos números secuenciales',
        message: 'Cree otro punto de emisión antes de que se terminen: después del 999999999 el SRI no admite más números.',
        rows: news.items.map(({ issuer, point, documentType, remaining }) => [`${oneLine(issuer)}, ${point}, ${type(documentType)}`, `Quedan ${remaining}`]),
      };
    case 'issuer.paused':
      return {
        title: 'El SRI bloqueó envíos: hay documentos en espera',
        message: 'Los documentos no se pierden: esperan. Resuelva la causa con el SRI y reanude la pausa.',
        rows: news.items.map(({ issuer, place, documentType, sriCode, since }) => [
          [oneLine(issuer), place, type(documentType)].filter(Boolean).join(', '), `Código ${sriCode} del SRI, desde el ${moment(since, 'es')}`,
        ]),
      };
    case 'webhook.disabled':
      return {
        title: 'Se desactivó un webhook',
        message: 'La dirección no recibió los eventos. Corríjala y actívela otra vez: los eventos guardados se pueden volver a enviar.',
        rows: news.items.map(({ url }) => ['Dirección', url]),
      };
    case 'document.manual_review_required':
      return {
        title: 'Hay documentos que esperan una decisión',
        message: 'No continúan solos. Cada uno dice la causa y lo que se sugiere hacer.',
        rows: news.items.map(({ issuer, documents }) => [oneLine(issuer), documents === 1 ? '1 documento' : `${documents} documentos`]),
      };
  }
}

function english(news: News, now: Date): Wording {
  const type = (code: string | null): string => (code === null ? '' : nameOfType(code, 'en'));
  switch (news.type) {
    case 'certificate.expiring':
    case 'certificate.expired': {
      const expired = news.type === 'certificate.expired';
      return {
        title: expired ? 'A signing certificate has expired' : 'A signing certificate expires soon',
        message: expired
          ? 'Without a valid certificate no document is signed: those that are issued wait until you upload another one.'
          : 'Upload a new certificate before that day to go on issuing without a break.',
        rows: news.items.map(({ issuer, validTo }) => {
          const left = daysLeft(validTo, now);
          const ends = left < 0 || validTo <= now ? `Expired on ${moment(validTo, 'en')}` : `Expires on ${moment(validTo, 'en')} (${left === 0 ? 'today' : left === 1 ? '1 day left' : `${left} days left`})`;
          return [oneLine(issuer), ends];
        }),
      };
    }
    case 'sequence.low':
      return {
        title: 'Sequential numbers run low',
        message: 'Create another emission point before they are used up: beyond 999999999 the SRI takes no number.',
        rows: news.items.map(({ issuer, point, documentType, remaining }) => [`${oneLine(issuer)}, ${point}, ${type(documentType)}`, `${remaining} left`]),
      };
    case 'issuer.paused':
      return {
        title: 'The SRI blocked submissions: documents wait',
        message: 'The documents are not lost: they wait. Settle the cause with the SRI and resume the pause.',
        rows: news.items.map(({ issuer, place, documentType, sriCode, since }) => [
          [oneLine(issuer), place, type(documentType)].filter(Boolean).join(', '), `Code ${sriCode} of the SRI, since ${moment(since, 'en')}`,
        ]),
      };
    case 'webhook.disabled':
      return {
        title: 'A webhook was switched off',
        message: 'The address did not take the events. Correct it and switch it on again: kept events can be sent once more.',
        rows: news.items.map(({ url }) => ['Address', url]),
      };
    case 'document.manual_review_required':
      return {
        title: 'Documents wait for a decision',
        message: 'They do not go on by themselves. Each says why, and what is suggested.',
        rows: news.items.map(({ issuer, documents }) => [oneLine(issuer), documents === 1 ? '1 document' : `${documents} documents`]),
      };
  }
}

const daysLeft = (validTo: Date, now: Date): number => daysBetween(guayaquilDay(now), guayaquilDay(validTo));
