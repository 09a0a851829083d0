import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditAction } from '../../../platform/audit/audit-actions.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.js';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { CheckFinding } from '../domain/certificate-checks.js';
import type { CertificateEntry } from '../issuers.responses.js';

export type CertificateRow = Omit<CertificateEntry, 'status' | 'checks'> & { readonly revoked_at: Date | null; readonly checks: readonly CheckFinding[] };

export interface NewCertificate {
  readonly id: string;
  readonly issuerId: string;
  readonly subject: string;
  readonly issuerName: string;
  readonly serialNumber: string;
  readonly ruc: string;
  readonly validFrom: Date;
  readonly validTo: Date;
  readonly fingerprintSha256: string;
  readonly certificateDer: Buffer;
  readonly sealedKey: Buffer;
  readonly findings: readonly CheckFinding[];
}

export interface SealedCertificate {
  readonly certificateDer: Buffer;
  readonly sealedKey: Buffer;
}

const COLUMNS =
  'id, tenant_id, issuer_id, subject, issuer_name, serial_number, ruc, valid_from, valid_to, is_active, revoked_at, fingerprint_sha256, checks, created_at';

/** Of one issuer that are not revoked: a new one is bought every year or two, and all of them are listed at once. */
export const MOST_CERTIFICATES = 100;

/** Revoked ones that are kept, and listed, in any case; older ones are kept while something is left that they signed. */
const REVOKED_KEPT = 100;

const ONE = 'tenant_id = $1 and issuer_id = $2 and id = $3';

@Injectable()
export class CertificatesRepository {
  constructor(
    private readonly database: TenantTransaction,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Stores a certificate that proved the issuer's RUC, claims the RUC for the issuer and makes the certificate the
   * active one. The same certificate again is the one stored before, activated, with what was found now; and with its
   * key sealed anew, should the stored one be damaged.
   * @returns null when the issuer has `MOST_CERTIFICATES` others that are not revoked
   * @throws DomainError ALREADY_EXISTS when another issuer of the platform holds the RUC; ISSUER_DISABLED when the platform has
   *   disabled this one and it does not hold the RUC; INVALID_STATE when this certificate was revoked here
   */
  async store(tenant: TenantContext, certificate: NewCertificate, now: Date): Promise<CertificateRow | null> {
    const { tenantId } = tenant;
    return this.database.run(tenantId, async (manager) => {
      await lockIssuer(manager, tenantId, certificate.issuerId);
      const [known] = await manager.query<CertificateRow[]>(
        `select ${COLUMNS} from certificates where tenant_id = $1 and issuer_id = $2 and fingerprint_sha256 = $3`,
        [tenantId, certificate.issuerId, certificate.fingerprintSha256],
      );
      if (known?.revoked_at) throw new DomainError('INVALID_STATE', { reason: 'revoked', status: 'revoked', allowed_actions: ['upload_another'] });
      if (known === undefined) {
        if (await isFull(manager, tenantId, certificate.issuerId)) return null;
        await removeLongRevoked(manager, tenantId, certificate.issuerId);
      }
      // Not before: it may end another's claim, and what is answered by null is committed.
      await claimRuc(manager, tenant, certificate.ruc, certificate.issuerId, now);
      const id = known?.id ?? (await insert(manager, tenantId, certificate, now));
      // Sealed for the record of this id alone: of two uploads at once the key of the first stays.
      const isSealedForIt = id === certificate.id;
      await manager.query(`update certificates set checks = $4, sealed_key = coalesce($5, sealed_key) where ${ONE}`, [
        tenantId, certificate.issuerId, id, JSON.stringify(certificate.findings), isSealedForIt ? certificate.sealedKey : null,
      ]);
      const active = await makeActive(manager, tenantId, certificate.issuerId, id);
      await this.record(manager, tenant, 'certificate.uploaded', certificate.issuerId, id, now);
      return active;
    });
  }

  /** The id under which the issuer's certificate of this fingerprint is stored; null when it is not. */
  async idOf(tenantId: string, issuerId: string, fingerprintSha256: string): Promise<string | null> {
    return this.database.run(tenantId, async (manager) => {
      const [row] = await manager.query<{ id: string }[]>('select id from certificates where tenant_id = $1 and issuer_id = $2 and fingerprint_sha256 = $3', [tenantId, issuerId, fingerprintSha256]);
      return row?.id ?? null;
    });
  }

  /**
   * Makes a stored certificate the active one, and claims its RUC; null when the issuer has no such certificate.
   * @throws DomainError ALREADY_EXISTS and ISSUER_DISABLED as `store`
   */
  async activate(tenant: TenantContext, issuerId: string, id: string, judge: (row: CertificateRow) => void, now: Date): Promise<CertificateRow | null> {
    const { tenantId } = tenant;
    return this.database.run(tenantId, async (manager) => {
      await lockIssuer(manager, tenantId, issuerId);
      const [row] = await manager.query<CertificateRow[]>(`select ${COLUMNS} from certificates where ${ONE}`, [tenantId, issuerId, id]);
      if (row === undefined) return null;
      judge(row);
      await claimRuc(manager, tenant, row.ruc, issuerId, now);
      const active = await makeActive(manager, tenantId, issuerId, id);
      await this.record(manager, tenant, 'certificate.activated', issuerId, id, now);
      return active;
    });
  }

  /** Revokes a certificate and destroys its key; false when the issuer has no such certificate. Again changes nothing. */
  async revoke(tenant: TenantContext, issuerId: string, id: string, now: Date): Promise<boolean> {
    const { tenantId } = tenant;
    return this.database.run(tenantId, async (manager) => {
      await lockIssuer(manager, tenantId, issuerId);
      const [standing] = await manager.query<Pick<CertificateRow, 'revoked_at'>[]>(`select revoked_at from certificates where ${ONE}`, [tenantId, issuerId, id]);
      if (standing === undefined) return false;
      if (standing.revoked_at !== null) return true;
      await manager.query(`update certificates set is_active = false, revoked_at = $4, sealed_key = ''::bytea where ${ONE}`, [tenantId, issuerId, id, now]);
      await this.record(manager, tenant, 'certificate.revoked', issuerId, id, now);
      return true;
    });
  }

  async find(tenantId: string, issuerId: string, id: string): Promise<CertificateRow | null> {
    return this.database.run(tenantId, async (manager) => {
      const [row] = await manager.query<CertificateRow[]>(`select ${COLUMNS} from certificates where ${ONE}`, [tenantId, issuerId, id]);
      return row ?? null;
    });
  }

  /** The certificates of an issuer that are not revoked, and the newest revoked ones, newest first; `total` counts them all. Null when the tenant has no such issuer. */
  async list(tenantId: string, issuerId: string): Promise<{ rows: CertificateRow[]; total: number } | null> {
    return this.database.run(tenantId, async (manager) => {
      const [counted] = await manager.query<{ total: number }[]>(
        `select (select count(*)::int from certificates c where c.tenant_id = i.tenant_id and c.issuer_id = i.id) as total
         from issuers i where i.tenant_id = $1 and i.id = $2`,
        [tenantId, issuerId],
      );
      if (counted === undefined) return null;
      const rows = await manager.query<CertificateRow[]>(
        `select * from (
           select ${COLUMNS} from certificates where tenant_id = $1 and issuer_id = $2
           order by revoked_at is not null, created_at desc, id desc limit ${MOST_CERTIFICATES + REVOKED_KEPT}) listed
         order by created_at desc, id desc`,
        [tenantId, issuerId],
      );
      return { rows, total: counted.total };
    });
  }

  /** What signing needs; null when the certificate is unknown or revoked. */
  async findSealed(tenantId: string, issuerId: string, id: string): Promise<SealedCertificate | null> {
    return this.database.run(tenantId, async (manager) => {
      const [row] = await manager.query<{ certificate_der: Buffer; sealed_key: Buffer }[]>(
        `select certificate_der, sealed_key from certificates where ${ONE} and revoked_at is null`,
        [tenantId, issuerId, id],
      );
      return row === undefined ? null : { certificateDer: row.certificate_der, sealedKey: row.sealed_key };
    });
  }

  /** Writes the events, over all tenants, of certificates whose end draws near or has come, each once. @returns how many they were */
  async noticeExpiring(now: Date): Promise<number> {
    const [row] = await this.database.withoutTenant<{ written: number }>('select notice_certificates($1) as written', [now]);
    return row?.written ?? 0;
  }

  private record(manager: EntityManager, tenant: TenantContext, action: AuditAction, issuerId: string, id: string, now: Date): Promise<void> {
    return this.audit.record(manager, tenant, { action, target: { kind: 'certificate', id }, detail: { issuer_id: issuerId } }, now);
  }
}

/** Uploads, activations and revocations of one issuer happen one after the other; documents are issued meanwhile. */
async function lockIssuer(manager: EntityManager, tenantId: string, issuerId: string): Promise<void> {
  const rows = await manager.query<unknown[]>('select 1 from issuers where tenant_id = $1 and id = $2 for no key update', [tenantId, issuerId]);
  if (rows.length === 0) throw new DomainError('NOT_FOUND');
}

async function isFull(manager: EntityManager, tenantId: string, issuerId: string): Promise<boolean> {
  const [row] = await manager.query<{ held: number }[]>(
    'select count(*)::int as held from certificates where tenant_id = $1 and issuer_id = $2 and revoked_at is null',
    [tenantId, issuerId],
  );
  return (row?.held ?? 0) >= MOST_CERTIFICATES;
}

/** Who uploads and revokes without end fills no table: what signed nothing goes, and stays on record in the audit log. */
async function removeLongRevoked(manager: EntityManager, tenantId: string, issuerId: string): Promise<void> {
  await manager.query(
    `delete from certificates c using (
       select id from certificates where tenant_id = $1 and issuer_id = $2 and revoked_at is not null
       order by created_at desc, id desc offset ${REVOKED_KEPT}) old
     where c.tenant_id = $1 and c.id = old.id
       and not exists (select from signed_documents s where s.tenant_id = $1 and s.certificate_id = c.id)`,
    [tenantId, issuerId],
  );
}

/** One issuer at a time signs for a RUC on the whole platform; one that is disabled keeps the RUC it holds, for its documents go on. */
async function claimRuc(manager: EntityManager, { tenantId, environment }: TenantContext, ruc: string, issuerId: string, now: Date): Promise<void> {
  const [claim] = await manager.query<{ held: boolean; is_disabled: boolean }[]>(
    `select claim_ruc($1, $2, i.tenant_id, i.id, $5) as held, i.disabled_at is not null as is_disabled from issuers i where i.tenant_id = $3 and i.id = $4`,
    [ruc, environment, tenantId, issuerId, now],
  );
  if (claim?.held === true) return;
  if (claim?.is_disabled === true) throw new DomainError('ISSUER_DISABLED');
  throw new DomainError('ALREADY_EXISTS', { field: 'ruc', reason: 'verified_by_another_issuer' });
}

async function insert(manager: EntityManager, tenantId: string, certificate: NewCertificate, now: Date): Promise<string> {
  await manager.query(
    `insert into certificates (tenant_id, id, issuer_id, subject, issuer_name, serial_number, ruc, valid_from, valid_to,
       fingerprint_sha256, certificate_der, sealed_key, is_active, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, false, $13)`,
    [
      tenantId,
      certificate.id,
      certificate.issuerId,
      certificate.subject,
      certificate.issuerName,
      certificate.serialNumber,
      certificate.ruc,
      certificate.validFrom,
      certificate.validTo,
      certificate.fingerprintSha256,
      certificate.certificateDer,
      certificate.sealedKey,
      now,
    ],
  );
  return certificate.id;
}

/** The old one goes first: the index allows one active certificate per issuer. */
async function makeActive(manager: EntityManager, tenantId: string, issuerId: string, id: string): Promise<CertificateRow> {
  await manager.query('update certificates set is_active = false where tenant_id = $1 and issuer_id = $2 and is_active and id <> $3', [
    tenantId,
    issuerId,
    id,
  ]);
  const [rows] = await manager.query<[CertificateRow[], number]>(
    `update certificates set is_active = true where ${ONE} returning ${COLUMNS}`,
    [tenantId, issuerId, id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the certificate vanished inside its transaction');
  return row;
}
