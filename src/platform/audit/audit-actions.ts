/**
 * Everything the audit log of a tenant tells of: the one table of its action
 * names. A name never changes its meaning.
 */
export const AUDIT_ACTIONS = [
  'login.succeeded',
  'login.failed',
  'login.locked',
  'logout',
  'session.token_reused',
  'password.reset',
  'email.verified',
  'identity.linked',
  'person.disabled',
  'person.enabled',
  'access.foreign_tenant_refused',
  'platform.tenant_entered',
  'tenant.founded',
  'tenant.changed',
  'tenant.activated',
  'tenant.deactivated',
  'member.invited',
  'member.reinvited',
  'invitation.accepted',
  'member.role_changed',
  'member.suspended',
  'member.resumed',
  'member.removed',
  'api_key.created',
  'api_key.revoked',
  'issuer.created',
  'issuer.changed',
  'issuer.deleted',
  'issuer.disabled',
  'issuer.enabled',
  'establishment.created',
  'establishment.changed',
  'establishment.deleted',
  'emission_point.created',
  'emission_point.changed',
  'emission_point.deleted',
  'sequence.raised',
  'certificate.uploaded',
  'certificate.activated',
  'certificate.revoked',
  'ruc.claim_passed',
  'ruc.claim_taken',
  'buyer.created',
  'buyer.changed',
  'buyer.deleted',
  'pause.resumed',
  'document.retried',
  'document.reconciled',
  'document.corrected',
  'document.abandoned',
  'document.cancellation_requested',
  'document.cancellation_withdrawn',
  'webhook.created',
  'webhook.changed',
  'webhook.deleted',
  'webhook.secret_rotated',
  'document.email_requested',
  'mail_settings.changed',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export const AUDIT_TARGETS = ['user', 'tenant', 'member', 'api_key', 'issuer', 'establishment', 'emission_point', 'certificate', 'buyer', 'pause', 'document', 'webhook'] as const;
export type AuditTarget = (typeof AUDIT_TARGETS)[number];

export const AUDIT_ACTORS = ['user', 'api_key', 'platform_admin', 'system'] as const;
export type AuditActor = (typeof AUDIT_ACTORS)[number];
