import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentDraftDto } from '../documents.dto.js';
import { CatalogueLines, withLineDefaults } from './catalogue-lines.js';
import { placeOf } from './document-place.js';
import { draftContent } from './draft-content.js';
import { type CreatedDraft, DraftStore } from './draft-store.js';
import { fingerprint } from './fingerprint.js';

/** Stores a document that is being written; it takes no number. */
export class CreateDraft extends Command<CreatedDraft> {
  constructor(
    readonly tenant: TenantContext,
    readonly body: DocumentDraftDto,
    readonly idempotencyKey: string | null,
  ) {
    super();
  }
}

@CommandHandler(CreateDraft)
export class CreateDraftHandler implements ICommandHandler<CreateDraft> {
  constructor(
    private readonly drafts: DraftStore,
    private readonly lines: CatalogueLines,
  ) {}

  execute({ tenant, body, idempotencyKey }: CreateDraft): Promise<CreatedDraft> {
    const request = { idempotencyKey, operation: 'draft', fingerprint: fingerprint(withLineDefaults(body)) } as const;
    return this.drafts.create(tenant, placeOf(body), request, async (issuer) => draftContent(await this.lines.complete(tenant, body), issuer));
  }
}
