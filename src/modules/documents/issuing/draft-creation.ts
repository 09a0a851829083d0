import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock, IDS, type Ids } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { IssuerSnapshot } from '../../../sri/document-types/content.js';
import type { DraftContent } from '../content/draft-content.js';
import type { Place } from '../domain/issuance.js';
import { type DraftRequest, IssuingRepository } from '../persistence/issuing.repository.js';
import { type Replay, requireSameRequest } from '../persistence/same-request.js';
import { IssuancePreflight } from './issuance-preflight.js';

export interface CreatedDraft {
  readonly documentId: string;
  /** True when an earlier request with the same key and content created the draft. */
  readonly replayed: boolean;
}

/** Stores documents that are being written; they take no number. */
@Injectable()
export class DraftCreation {
  constructor(
    private readonly preflight: IssuancePreflight,
    private readonly issuing: IssuingRepository,
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
    const { context, replay } = await this.preflight.lookUp(tenant.tenantId, place, request.idempotencyKey);
    if (replay) return replayOf(replay, request);
    const now = this.clock.now();
    const issuer = this.preflight.snapshot(context, tenant);
    const { content, judged } = await contentOf(issuer, now);
    const { findings } = this.preflight.assess({ content: judged, findings: [] }, issuer, now);
    const created = await this.issuing.createDraft(tenant, this.ids.uuid(), place, { content, issuer, findings }, request, now);
    return created.outcome === 'replayed' ? replayOf(created, request) : { documentId: idOf(created), replayed: false };
  }
}

const idOf = (replay: Replay): string => replay.response['document_id'] as string;

function replayOf(first: Replay, { operation, fingerprint }: DraftRequest): CreatedDraft {
  requireSameRequest(first, operation, fingerprint);
  return { documentId: idOf(first), replayed: true };
}
