import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../shared/domain-error.js';
import { CLOCK, type Clock, IDS, type Ids } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentContent } from '../../../sri/document-types/document.js';
import type { DocumentDraftDto } from '../documents.dto.js';
import { fingerprint, headerOf, placeOf } from './document-place.js';
import { draftContent } from './draft-content.js';
import { IssuingDesk, type Place, type Replay } from './issuing-desk.js';

/** Stores a document that is being written; it takes no number. */
export class CreateDraft extends Command<CreatedDraft> {
  /**
   * @param content   what to store: a request body, or a content made by the service (credit notes)
   * @param operation names what the idempotency key is used for
   */
  constructor(
    readonly tenant: TenantContext,
    readonly place: Place,
    readonly content: DocumentDraftDto | DocumentContent,
    readonly idempotencyKey: string | null,
    readonly operation: string = 'draft',
  ) {
    super();
  }

  static of(tenant: TenantContext, body: DocumentDraftDto, idempotencyKey: string | null): CreateDraft {
    return new CreateDraft(tenant, placeOf(body), body, idempotencyKey);
  }
}

export interface CreatedDraft {
  readonly documentId: string;
  readonly replayed: boolean;
}

@CommandHandler(CreateDraft)
export class CreateDraftHandler implements ICommandHandler<CreateDraft> {
  constructor(
    private readonly desk: IssuingDesk,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async execute({ tenant, place, content: given, idempotencyKey, operation }: CreateDraft): Promise<CreatedDraft> {
    const { context, replay } = await this.desk.lookUp(tenant.tenantId, place, idempotencyKey);
    if (!context) throw new DomainError('NOT_FOUND');
    const issuer = this.desk.snapshot(context, tenant);
    const content = 'documentType' in given ? given : draftContent(given, issuer);
    // A numeric code that the service draws is no part of what was asked for.
    const print = fingerprint(place, 'documentType' in given ? { ...content, numericCode: null } : content);
    if (replay) return replayOf(replay, operation, print);

    const now = this.clock.now();
    const { findings } = this.desk.assess(content, issuer, now);
    const created = await this.desk.callIssuing<Replay & { outcome: string }>(
      tenant.tenantId,
      'select * from create_draft($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
      [
        this.ids.uuid(), now, JSON.stringify(headerOf(tenant, place, content)), JSON.stringify(content), JSON.stringify(issuer),
        JSON.stringify(findings), idempotencyKey, operation, print,
      ],
    );
    return created.outcome === 'replayed' ? replayOf(created, operation, print) : { documentId: idOf(created), replayed: false };
  }
}

const idOf = (replay: Replay): string => replay.response['document_id'] as string;

function replayOf(first: Replay, operation: string, print: string): CreatedDraft {
  if (first.operation !== operation || first.fingerprint !== print) throw new DomainError('DUPLICATE_IDEMPOTENCY_KEY');
  return { documentId: idOf(first), replayed: true };
}
