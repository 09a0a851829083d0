import type { Language } from '../../shared/language.js';
import { shownName } from './shown-name.js';

export interface Letter {
  readonly subject: string;
  readonly text: string;
  /** The text as a page, for mail readers that show pages. */
  readonly html?: string;
  readonly attachments?: readonly Attachment[];
}

export interface Attachment {
  readonly fileName: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** What a letter asks its reader to do. */
export interface Errand {
  /** Whom it is written to. */
  readonly name: string;
  /** Page that does it. */
  readonly link: string;
  /** What the link carries, for a program: token of the API call. */
  readonly token: string;
}

type Template = (errand: Errand) => { readonly es: Letter; readonly en: Letter };

const greeting = (word: string, name: string): string => [word, shownName(name)].filter((part) => part !== '').join(', ');

const verifyEmail: Template = ({ name, link, token }) => ({
  es: {
    subject: 'Confirme su correo en Sello',
    text: `${greeting('Hola', name)}:\n\nConfirme que este correo es suyo con este enlace, que vale 3 días:\n\n${link}\n\nCódigo: ${token}\n\nSi no se registró en Sello, ignore este mensaje.\n`,
  },
  en: {
    subject: 'Confirm your e-mail address at Sello',
    text: `${greeting('Hello', name)}:\n\nConfirm that this address is yours with this link, valid for 3 days:\n\n${link}\n\nCode: ${token}\n\nIf you did not sign up at Sello, ignore this message.\n`,
  },
});

const resetPassword: Template = ({ name, link, token }) => ({
  es: {
    subject: 'Nueva contraseña de Sello',
    text: `${greeting('Hola', name)}:\n\nElija una contraseña nueva con este enlace, que vale 30 minutos:\n\n${link}\n\nCódigo: ${token}\n\nSi no la pidió, ignore este mensaje: su contraseña no cambia.\n`,
  },
  en: {
    subject: 'New password for Sello',
    text: `${greeting('Hello', name)}:\n\nChoose a new password with this link, valid for 30 minutes:\n\n${link}\n\nCode: ${token}\n\nIf you did not ask for it, ignore this message: your password stays.\n`,
  },
});

/** An invitation in both languages: nobody knows yet which one its reader prefers. */
export function invitationLetter(tenantName: string, { link, token }: Pick<Errand, 'link' | 'token'>): Letter {
  const tenant = shownName(tenantName);
  const [es, en] = [tenant || 'una empresa', tenant || 'a company'];
  return {
    subject: `Invitación a ${es} en Sello / Invitation to ${en} at Sello`,
    text:
      `Le invitan a trabajar en ${es} con Sello. Acepte con este enlace, que vale 7 días:\n` +
      `You are invited to work in ${en} with Sello. Accept with this link, valid for 7 days:\n\n${link}\n\nCódigo / Code: ${token}\n`,
  };
}

const LETTERS = { verifyEmail, resetPassword } as const;

/** The letter in its reader's language. */
export const letterOf = (kind: keyof typeof LETTERS, errand: Errand, language: Language): Letter => LETTERS[kind](errand)[language];
