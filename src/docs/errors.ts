import type { Action } from '../modules/documents/domain/lifecycle.js';
import type { ErrorEntry } from '../shared/error-catalogue.js';
import { REFUSAL_REASONS, type RefusalReason } from '../shared/refusal-reasons.js';
import { SUGGESTED_ACTIONS } from '../shared/suggested-actions.js';
import { generatedFrom, table } from './markdown.js';

const ON_THE_RECORD = 200;

/** The call of each act that a document's state allows. */
const CALLS: Readonly<Record<Action, string>> = {
  issue: '`POST /documents/{id}/issue`',
  edit: '`PATCH /documents/{id}`',
  delete: '`DELETE /documents/{id}`',
  retry: '`POST /documents/{id}/retry`',
  reconcile: '`POST /documents/{id}/reconcile`',
  correct: '`POST /documents/{id}/correct`',
  abandon: '`POST /documents/{id}/abandon`',
  cancel: '`POST /documents/{id}/cancel`',
  withdraw_cancellation: '`DELETE /documents/{id}/cancel`',
  credit: '`POST /documents/{id}/credit-note`',
};

/** Every status that a code is answered with: its own, and those of single reasons. */
const statusesOf = (code: string, status: number): string => [status, ...reasonsOf(code).flatMap((reason) => reason.status ?? [])].join(', ');

const reasonsOf = (code: string): readonly RefusalReason[] => Object.values((REFUSAL_REASONS as Readonly<Record<string, Readonly<Record<string, RefusalReason>>>>)[code] ?? {});

const ALLOWED_BESIDES_ACTS = [
  ['deactivate', 'an issuer, establishment or emission point with documents', '`PATCH` with `is_active: false`'],
  ['activate', 'a webhook that is off', '`PATCH` with `is_active: true`'],
  ['raise_higher', 'a sequence', 'a number above `detail.next_number`'],
  ['upload_another', 'a certificate that was revoked', 'upload another file'],
  ['make_another_owner', 'the last owner', 'make another member `tenant_owner` first'],
  ['POST /auth/password/forgot', 'an account without a password', 'the call'],
  ['repeat', 'a document or product that others change at the moment', 'the same call again'],
  ['change_role, suspend, resume, reinvite, remove', 'a member', 'the calls of the member'],
] as const;

/** Why a certificate file is refused: the word for programs, the check that finds it, and the words for people. */
interface CertificateReason {
  readonly reason: string;
  readonly check: string;
  readonly es: string;
  readonly en: string;
}

/** `docs/errors.md`: every code, its status, what it means and what to do, in both languages. */
export function errorsPage(catalogue: Readonly<Record<string, ErrorEntry>>, certificateReasons: readonly CertificateReason[] = []): string {
  const entries = Object.entries(catalogue).sort(([, a], [, b]) => a.status - b.status);
  const rows = (chosen: typeof entries) =>
    chosen.map(([code, entry]) => [
      `\`${code}\``,
      ...(entry.status === ON_THE_RECORD ? [] : [statusesOf(code, entry.status)]),
      `${entry.en}. ${entry.actionEn}.`,
      `${entry.es}. ${entry.actionEs}.`,
    ]);
  return [
    generatedFrom('Errors', '`src/shared/error-catalogue.ts`, `src/shared/refusal-reasons.ts` and `src/modules/issuers/certificate-check-messages.ts`'),
    'Every answer with status 400 or above is `{"error": {"code", "message", "detail", "request_id"}}`. `code` never changes',
    'its meaning; `message` says what happened and what to do next, in Spanish, or English by `Accept-Language`. Quote `request_id`',
    'to support.',
    '',
    table(
      ['code', 'status', 'English', 'Spanish'],
      rows(entries.filter(([, { status }]) => status !== ON_THE_RECORD)),
    ),
    '',
    '## What a refusal allows',
    '',
    '`detail.allowed_actions` of `INVALID_STATE` names what may be done instead: of a document, as its state allows',
    '([lifecycle.md](lifecycle.md)); of others. Of `retry`, `correct`, `reconcile`, `abandon` and `cancel`, a refusal without a',
    '`reason` says in `detail.suggested_action` what the record of the document suggests, with `pause_id` where a pause has to be',
    'resumed: a document that waits for that, or for a certificate, allows no act of its own.',
    '',
    table(
      ['word', 'of', 'how'],
      [...Object.entries(CALLS).map(([word, call]) => [word, 'a document', call] as const), ...ALLOWED_BESIDES_ACTS].map(([word, of, how]) => [`\`${word}\``, of, how]),
    ),
    '',
    '## Reasons',
    '',
    'Where a code has several causes, `detail.reason` names the cause by a word for programs, and `message` explains that cause',
    'instead of the code. Where the table names a status, the answer has that instead of the status of its code.',
    '',
    table(
      ['code', 'reason', 'English', 'Spanish'],
      Object.entries(REFUSAL_REASONS).flatMap(([code, reasons]) => Object.entries(reasons).map(([word, { en, es, status }]) => [`\`${code}\``, `\`${word}\`${status === undefined ? '' : ` (${status})`}`, en, es])),
    ),
    '',
    '## Reasons of a certificate file',
    '',
    '`INVALID_CERTIFICATE` names in `detail.reason` why the file cannot serve, and explains it in `detail.explanation` in the words below,',
    'with the facts of the file. `POST /issuers/{issuer_id}/certificates/check` tells by `check` all that is wrong with it.',
    '',
    table(
      ['reason', 'check', 'English', 'Spanish'],
      certificateReasons.map(({ reason, check, en, es }) => [`\`${reason}\``, `\`${check}\``, en, es]),
    ),
    '',
    '## On the document record',
    '',
    'These are never answers to a request: they stand as `error.code` on a document that did not go on.',
    '',
    table(
      ['code', 'English', 'Spanish'],
      rows(entries.filter(([, { status }]) => status === ON_THE_RECORD)),
    ),
    '',
    '`error.detail.suggested_action` says by a word for programs what helps:',
    '',
    table(
      ['word', 'what to do'],
      Object.entries(SUGGESTED_ACTIONS).map(([word, what]) => [`\`${word}\``, `${what}.`]),
    ),
    '',
  ].join('\n');
}
