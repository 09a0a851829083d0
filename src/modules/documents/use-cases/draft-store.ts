import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock, IDS, type Ids } from '../../../shared/ports.js';
import { credentialOf, type TenantContext } from '../../../shared/tenant-context.js';
import type { IssuerSnapshot } from '../../../sri/document-types/document.js';
import { headerOf } from './document-place.js';
import type { DraftContent } from './draft-content.js';
import { duplicateKey, IssuingDesk, type Place, type Replay } from './issuing-desk.js';

/** What tells a repetition of a request from another one. */
export interface DraftRequest {
  readonly idempotencyKey: string | null;
  /** What the key is used for. */
  readonly operation: 'draft' | `credit_note:${string}`;
  readonly fingerprint: string;
}

export interface CreatedDraft {
  readonly documentId: string;
  /** True when an earlier request with the same key and content created the draft. */
  readonly replayed: boolean;
}

/** Stores documents that are being written; they take no number. */
@Injectable()
export class DraftStore {
  constructor(
    private readonly desk: IssuingDesk,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  /**
   * Stores a draft, once per idempotency key.
   * @param contentOf makes what is stored; not called for a repetition, which nothing that changed since may break
   * @throws DomainError DUPLICATE_IDEMPOTENCY_KEY when the key was used for something else, NOT_FOUND for an unknown place
   */
  async create(
    tenant: TenantContext,
    place: Place,
    request: DraftRequest,
    contentOf: (issuer: IssuerSnapshot, now: Date) => DraftContent | Promise<DraftContent>,
  ): Promise<CreatedDraft> {
    const { context, replay } = await this.desk.lookUp(tenant.tenantId, place, request.idempotencyKey);
    if (replay) return replayOf(replay, request);
    if (!context) throw await this.desk.unknownPlace(tenant.tenantId, place);
    const now = this.clock.now();
    const issuer = this.desk.snapshot(context, tenant);
    const { content, judged } = await contentOf(issuer, now);
    const { findings } = this.desk.assess({ content: judged, findings: [] }, issuer, now);
    const created = await this.desk.callIssuing<Replay & { outcome: 'accepted' | 'replayed' }>(
      tenant.tenantId,
      'select d.*, require_credential($1, $11, $3) from create_draft($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) d',
      [
        this.ids.uuid(), now, JSON.stringify(headerOf(tenant, place, content)), JSON.stringify(content), JSON.stringify(issuer),
        JSON.stringify(findings), request.idempotencyKey, request.operation, request.fingerprint, credentialOf(tenant.principal),
      ],
    );
    return created.outcome === 'replayed' ? replayOf(created, request) : { documentId: idOf(created), replayed: false };
  }
}

const idOf = (replay: Replay): string => replay.response['document_id'] as string;

function replayOf(first: Replay, { operation, fingerprint }: DraftRequest): CreatedDraft {
  if (first.operation !== operation || first.fingerprint !== fingerprint) throw duplicateKey(first);
  return { documentId: idOf(first), replayed: true };
}
