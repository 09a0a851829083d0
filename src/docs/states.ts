import type { DocumentStatus } from '../modules/documents/domain/lifecycle.js';
import { WAITS_FOR_PERSON } from '../shared/suggested-actions.js';
import type { StateFacts } from './lifecycle.js';
import { generatedFrom, table } from './markdown.js';

/** What an integrator shows and does in each state. */
const ADVICE: Readonly<Record<DocumentStatus, { readonly show: string; readonly act: string }>> = {
  DRAFT: { show: 'a draft', act: 'Change it, delete it, or issue it: `POST /documents/{id}/issue`.' },
  VALIDATED: { show: 'in progress', act: 'Wait.' },
  NUMBER_RESERVED: { show: 'in progress', act: 'Wait. Number and access key can be printed already. With `error.code` `CERTIFICATE_EXPIRED` or `CERTIFICATE_NOT_FOUND` it is parked until that is mended, and then goes on by itself.' },
  XML_GENERATED: { show: 'in progress', act: 'Wait.' },
  SIGNED: { show: 'in progress', act: 'Wait.' },
  RECEPTION_PENDING: { show: 'in progress', act: 'Wait. What the SRI has blocked (an issuer, a part of one, the numbers of an emission point) waits here, with `error.code` `ISSUER_PAUSED`: `GET /issuers/{id}/pauses`.' },
  SUBMITTED_TO_SRI: { show: 'in progress', act: 'Wait.' },
  RECEIVED_BY_SRI: { show: 'in progress', act: 'Wait.' },
  AUTHORIZATION_PENDING: { show: 'in progress', act: 'Wait.' },
  AUTHORIZED: { show: 'valid', act: 'Hand over XML and RIDE (the buyer gets them by mail). To undo it: `/cancel`, or a credit note.' },
  REJECTED: { show: 'refused, with `sri_messages`', act: 'Read the messages; `error.detail.suggested_action` says what helps ([errors.md](errors.md#on-the-document-record)): mostly `correct`, with a corrected body under the same number. Where `detail` is null, it was refused before an upgrade of the service: the codes in `sri_messages` tell. Not wanted any more: `/abandon`.' },
  RECEPTION_RETRY_SCHEDULED: { show: 'in progress, the SRI is slow', act: 'Wait: `next_attempt_at` says until when; once that has passed, until the SRI can be called. `/retry` tries at once.' },
  AUTHORIZATION_RETRY_SCHEDULED: { show: 'in progress, the SRI is slow', act: 'Wait, as above.' },
  RECEPTION_UNKNOWN: { show: 'in progress, the SRI is slow', act: 'Wait. Never issue it again: the SRI may hold it, and it is being asked. `/reconcile` asks at once.' },
  AUTHORIZATION_UNKNOWN: { show: 'in progress, the SRI is slow', act: 'Wait, or `/reconcile`. Never issue it again.' },
  MANUAL_REVIEW_REQUIRED: { show: 'needs a person, with `error.message`', act: '`error.code` says why and what is suggested. `/reconcile` asks the SRI, `/retry` goes on, `/abandon` gives it up: of what was sent, the SRI is asked first (503 while it does not answer; one that was last signed and first sent more than a week ago is given up also where the question times out, fails with an XML answer of HTTP 500 or has an answer that cannot be read), and what it has decided on is on record then instead (409 `DECIDED_AT_SRI`). With `ANSWER_MISMATCH` it is asked whether it was annulled (of documents older than last month it tells no more, and `"annulled": true` says that the portal shows it): if not, it goes on counting against its invoice, if it is a credit note, and notes that name its number treat it as issued elsewhere.' },
  FAILED_PERMANENT: { show: 'given up', act: 'Issue the sale anew under another idempotency key, unless `error.code` is `ANSWER_MISMATCH`: then the SRI has authorized it, with other content than is on record here; if it was annulled in the portal since, `/retry` it, and `/abandon` it once it needs a person again. The number stays explained in the gap report.' },
  CANCELLATION_REQUESTED: { show: 'being cancelled', act: 'The taxpayer annuls it in the SRI\'s portal by `deadline`; the service watches. `DELETE /documents/{id}/cancel` takes the request back.' },
  CANCELLED: { show: 'cancelled', act: 'Nothing.' },
  VOIDED_BY_NC: { show: 'credited in full', act: 'Nothing.' },
};

/** `docs/states.md`: what each state asks of an integrator. */
export function statesPage(lifecycle: Readonly<Record<DocumentStatus, StateFacts>>): string {
  const rows = (Object.keys(lifecycle) as DocumentStatus[]).map((status) => [`\`${status}\``, lifecycle[status].meaning, ADVICE[status].show, ADVICE[status].act]);
  return [
    generatedFrom('Handling every state', '`src/modules/documents/domain/lifecycle.ts` and `src/docs/states.ts`'),
    'Most programs need only four cases: valid (`AUTHORIZED`), refused (`REJECTED`), needs a person (`MANUAL_REVIEW_REQUIRED`,',
    '`FAILED_PERMANENT`), and everything else, which is "in progress". That comes to an end by itself, but for what waits until a person',
    `acts: ${WAITS_FOR_PERSON.map((word) => `\`${word}\``).join(' or ')} in \`error.detail.suggested_action\` says so in whatever state, and \`error.message\` what to do.`,
    'Then it goes on, so nothing is to be issued again. The events `issuer.paused` and `certificate.expired` tell of it without asking; no event tells of a certificate that somebody of the tenant revokes.',
    '',
    '```mermaid',
    'flowchart LR',
    '  post[POST /documents] -->|202| progress[in progress]',
    '  progress --> AUTHORIZED',
    '  progress --> REJECTED',
    '  progress --> MANUAL_REVIEW_REQUIRED',
    '  REJECTED -->|correct, retry| progress',
    '  REJECTED -->|abandon| FAILED_PERMANENT',
    '  MANUAL_REVIEW_REQUIRED -->|retry, reconcile| progress',
    '  MANUAL_REVIEW_REQUIRED -->|abandon| FAILED_PERMANENT',
    '  AUTHORIZED -->|cancel| CANCELLATION_REQUESTED --> CANCELLED',
    '  AUTHORIZED -->|credit notes| VOIDED_BY_NC',
    '```',
    '',
    '- A program learns of the end by webhook, by `GET /events`, or by asking `GET /documents/{id}` every few seconds.',
    '- `REJECTED` is not the last word where the SRI turns out to have authorized the document after all: it is compared daily for',
    '  a month, hourly while the SRI is at work on it, and evidence of an authorization wins.',
    '- If a document was annulled in the portal without `/cancel`, call `/cancel` afterwards. Where a rule (deadline, credit notes,',
    '  final consumer) would refuse that, the SRI is asked first: shown as annulled, it becomes `CANCELLED` at once; otherwise the',
    '  refusal stands. The SRI answers only for documents of this month and the last. A document that is `VOIDED_BY_NC` stays so.',
    '- An act that the state does not allow is `409 INVALID_STATE`; `error.detail` names the state and the acts that it allows.',
    '',
    table(['State', 'Meaning', 'Show', 'Do'], rows),
    '',
    'Every move, drawn: [lifecycle.md](lifecycle.md). Codes of `error.code`: [errors.md](errors.md).',
    '',
  ].join('\n');
}
