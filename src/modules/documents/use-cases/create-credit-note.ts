import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { guayaquilDay } from '../../../shared/guayaquil.js';
import { CHANCE, type Chance } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { printedNumber } from '../../../sri/access-key.js';
import type { DocumentContent } from '../../../sri/document-types/content.js';
import { toContent } from '../content/document-content.js';
import { fingerprint } from '../content/fingerprint.js';
import type { CreditNoteDto } from '../documents.credit-note.dto.js';
import type { CreditNoteCreated } from '../documents.responses.js';
import { draftDeleted } from '../domain/actions.js';
import { refuseUncreditable } from '../domain/credit-note.js';
import { DraftCreation } from '../issuing/draft-creation.js';
import { type StoredDocument, StoredDocumentsRepository } from '../persistence/stored-documents.repository.js';

/** Drafts a credit note of an authorized invoice; the balance is reserved when it is issued. */
export class CreateCreditNote extends Command<DraftedCreditNote> {
  constructor(
    readonly tenant: TenantContext,
    readonly originalId: string,
    readonly body: CreditNoteDto,
    readonly idempotencyKey: string | null,
  ) {
    super();
  }
}

export interface DraftedCreditNote {
  readonly answer: CreditNoteCreated;
  /** True when an earlier request with the same key and content created the draft. */
  readonly replayed: boolean;
}

@CommandHandler(CreateCreditNote)
export class CreateCreditNoteHandler implements ICommandHandler<CreateCreditNote> {
  constructor(
    private readonly documents: StoredDocumentsRepository,
    private readonly drafts: DraftCreation,
    @Inject(CHANCE) private readonly chance: Chance,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async execute({ tenant, originalId, body, idempotencyKey }: CreateCreditNote): Promise<DraftedCreditNote> {
    const original = await this.documents.load(tenant, originalId);
    const request = { idempotencyKey, operation: `credit_note:${originalId}`, fingerprint: fingerprint(body) } as const;
    const { documentId, replayed } = await this.drafts.create(tenant, original.place, request, (_issuer, now) => {
      const today = guayaquilDay(now);
      const { documentType, issueDate, buyerIdType } = original.content;
      refuseUncreditable({ ...original, documentType, issueDate, buyerIdType }, today, this.settings.CREDIT_NOTE_MAX_AGE_MONTHS);
      const content = this.contentOf(original, body, today);
      return { content, judged: content };
    });
    if (replayed && !(await this.documents.exists(tenant, documentId))) throw draftDeleted(documentId);
    return { answer: { credit_note_id: documentId, original_document_id: originalId, status: 'DRAFT', access_key: null }, replayed };
  }

  private contentOf({ id, place, content, accessKey }: StoredDocument, body: CreditNoteDto, today: string): DocumentContent {
    const fromOriginal = {
      issuer_id: place.issuerId,
      establishment_id: place.establishmentId,
      emission_point_id: place.emissionPointId,
      document_type: '04' as const,
      issue_date: body.issue_date ?? today,
      numeric_code: this.numericCode(),
    };
    const credited = toContent(Object.assign({}, body, fromOriginal));
    return {
      ...credited,
      buyerIdType: content.buyerIdType,
      buyerId: content.buyerId,
      buyerName: content.buyerName,
      buyerEmail: content.buyerEmail,
      buyerAddress: content.buyerAddress,
      modifiedDocumentId: id,
      modifiedDocumentType: content.documentType,
      modifiedDocumentNumber: accessKey === null ? null : printedNumber(accessKey),
      modifiedDocumentIssueDate: content.issueDate,
      ...(content.sendEmail === false && { sendEmail: false }),
    };
  }

  /** 8 random digits, so that access keys cannot be guessed. */
  private numericCode(): string {
    const number = Buffer.from(this.chance.bytes(6)).readUIntBE(0, 6) % 100_000_000;
    return String(number).padStart(8, '0');
  }
}
