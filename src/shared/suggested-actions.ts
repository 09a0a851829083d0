/** The words of `suggested_action`, which a document's error has in its detail, and what each asks for: the one table of them. */
export const SUGGESTED_ACTIONS = {
  correct: 'The content is wrong: `POST /documents/{id}/correct` with a corrected body; the number stays',
  retry: 'Settle the cause (certificate, signature, what the history shows), then `POST /documents/{id}/retry`',
  resume_pause_then_retry: 'The SRI blocked the issuer, or the part of it in `scope`: settle it, `POST /issuers/{id}/pauses/{pause_id}/resume`, then `POST /documents/{id}/retry`',
  resume_pause: 'It waits under a pause: settle the cause, then `POST /issuers/{id}/pauses/{pause_id}/resume`',
  reconcile: '`POST /documents/{id}/reconcile` asks the SRI at once; it is asked daily anyway',
  abandon: 'Nothing mends it under this number (`date_is_fixed`: the date is out of time and, after a refusal at authorization, may not change): `POST /documents/{id}/abandon`, then issue the sale anew',
  raise_counter_then_abandon: 'The number is another document\'s: `POST /emission-points/{id}/sequences/{type}/raise`, `POST /documents/{id}/abandon`, then issue the sale anew, if the portal shows that it is not this very sale',
  upload_certificate: '`POST /issuers/{id}/certificates`: the document goes on by itself',
  wait: 'Nothing: it goes on by itself',
  contact_support: 'Our XML or call may be at fault, or the SRI shows another document: read `error.message`, and tell support the id of the document',
} as const;

export type SuggestedAction = keyof typeof SUGGESTED_ACTIONS;

/** What a document on its way waits for that only a person brings about. */
export const WAITS_FOR_PERSON = ['resume_pause', 'upload_certificate'] as const satisfies readonly SuggestedAction[];

export type WaitsForPerson = (typeof WAITS_FOR_PERSON)[number];

export const waitsForPerson = (suggested: SuggestedAction | null | undefined): suggested is WaitsForPerson => WAITS_FOR_PERSON.some((one) => one === suggested);

/** The detail of a document's error. @param more facts that belong to the suggestion */
export const suggest = <More extends object = object>(suggested: SuggestedAction, more?: More): More & { readonly suggested_action: SuggestedAction } =>
  ({ suggested_action: suggested, ...(more as More) });
