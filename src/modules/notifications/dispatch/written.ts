import type { TrackedMail } from '../../../platform/mail/mailer.js';
import type { Outcome } from '../domain/attempts.js';

/** A mail as it is sent, or what became of it before it could be; with the attempts before this one, and the document that it brings. */
export type Written = { readonly attempts: number; readonly documentId: string | null } & ({ readonly mail: TrackedMail } | { readonly outcome: Outcome });
