/** SQLSTATEs of class SE: refusals of the service's own functions and triggers (`migrations/`), named in brackets. */
export const OWN_SQL_STATE = {
  /** Every number of the emission point is used (`take_number`). */
  sequenceExhausted: 'SE001',
  /** The key was revoked, or the session ended, since the call came in (`last_look`, `require_credential`). */
  credentialEnded: 'SE002',
  /** The issuer is switched off or disabled (`last_look`). */
  issuerDisabled: 'SE003',
  /** The issuer's certificate has expired (`last_look`). */
  certificateExpired: 'SE004',
  /** The emission point is not there or not active (`take_number`). */
  emissionPointGone: 'SE005',
  /** The document that a credit note names is not authorized (`reserve_credit`). */
  originalNotAuthorized: 'SE006',
  /** The note credits more than its original has left; the detail is what is left (`reserve_credit`). */
  creditExceeded: 'SE007',
  /** Credit notes stand against the document that is to be cancelled; the detail is their numbers (`refuse_credited_cancellation`). */
  creditedCancellation: 'SE008',
  /** The issuer has no active certificate (`last_look`). */
  certificateMissing: 'SE009',
  /** The person has another role in the tenant since the call came in (`require_credential`). */
  roleChanged: 'SE010',
  /** The issuer of a draft, or the one to which it moves, has used its idempotency key for another document, which the detail names (`issue_draft`, `update_draft`). */
  keyTaken: 'SE011',
  /** The tenant is closed, in which an administrator of the platform issues (`last_look`). */
  tenantClosed: 'SE012',
  /** The lifecycle has no such move, or keeps what was to be deleted (`guard_document`, `guard_draft_deletion`, `guard_draft_part_deletion`). */
  moveNotAllowed: 'SE100',
  /** Identity and number of a document never change, and its version counts its moves (`guard_document`). */
  documentAltered: 'SE101',
  /** The document is in another state or version by now, or its lease was lost (`advance_document`, `lock_document`, `restore_content`). */
  documentMoved: 'SE110',
  /** The table only grows (`refuse_change`). */
  appendOnly: 'SE120',
  /** The caller does not administer the platform (`require_platform_admin`). */
  notPlatformAdmin: 'SE130',
  /** The delivery was sent again too often; the detail says how often is allowed (`restart_delivery`). */
  replayedTooOften: 'SE140',
  /** The key is of another environment than the one to which the database is bound, which the detail names (`provision_tenant`). */
  otherEnvironment: 'SE150',
} as const;
