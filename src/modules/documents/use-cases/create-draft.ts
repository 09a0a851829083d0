import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { CatalogueLines, withLineDefaults } from '../content/catalogue-lines.js';
import { placeOf } from '../content/document-place.js';
import { draftContent } from '../content/draft-content.js';
import { fingerprint } from '../content/fingerprint.js';
import type { DocumentDraftDto } from '../documents.dto.js';
import { type CreatedDraft, DraftCreation } from '../issuing/draft-creation.js';

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
    private readonly drafts: DraftCreation,
    private readonly lines: CatalogueLines,
  ) {}

  execute({ tenant, body, idempotencyKey }: CreateDraft): Promise<CreatedDraft> {
    const request = { idempotencyKey, operation: 'draft', fingerprint: fingerprint(withLineDefaults(body)) } as const;
    return this.drafts.create(tenant, placeOf(body), request, async (issuer) => draftContent(await this.lines.complete(tenant, body), issuer));
  }
}
