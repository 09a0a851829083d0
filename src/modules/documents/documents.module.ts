import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { HttpModule } from '../../platform/http/http.module.js';
import { PrintingModule } from '../../platform/printing/printing.module.js';
import { CatalogueModule } from '../catalogue/public.js';
import { Consultations } from './saga/consultations.js';
import { Verdicts } from './saga/verdicts.js';
import { DocumentActions } from './actions/document-actions.js';
import { CatalogueLines } from './content/catalogue-lines.js';
import { DocumentActionsController } from './document-actions.controller.js';
import { DocumentsController } from './documents.controller.js';
import { DraftTurns } from './draft-turns.js';
import { DraftsController } from './drafts.controller.js';
import { DraftCreation } from './issuing/draft-creation.js';
import { IssuancePreflight } from './issuing/issuance-preflight.js';
import { PausesController } from './pauses.controller.js';
import { DocumentExportsRepository } from './persistence/document-exports.repository.js';
import { DocumentListsRepository } from './persistence/document-lists.repository.js';
import { IssuingRepository } from './persistence/issuing.repository.js';
import { ModifiedDocumentsRepository } from './persistence/modified-documents.repository.js';
import { PausesRepository } from './persistence/pauses.repository.js';
import { StoredDocumentsRepository } from './persistence/stored-documents.repository.js';
import { WithholdingsRepository } from './persistence/withholdings.repository.js';
import { SRI_CLIENTS } from './saga/sri-clients.js';
import { AbandonDocumentHandler } from './use-cases/abandon-document.js';
import { AwaitDocumentHandler } from './use-cases/await-document.js';
import { CancelDocumentHandler } from './use-cases/cancel-document.js';
import { CorrectDocumentHandler } from './use-cases/correct-document.js';
import { CreateCreditNoteHandler } from './use-cases/create-credit-note.js';
import { CreateDraftHandler } from './use-cases/create-draft.js';
import { DeleteDraftHandler } from './use-cases/delete-draft.js';
import { ExportDocumentsHandler } from './use-cases/export-documents.js';
import { GetCreatedDraftHandler } from './use-cases/get-created-draft.js';
import { GetDocumentHistoryHandler } from './use-cases/get-document-history.js';
import { GetDocumentRideHandler } from './use-cases/get-document-ride.js';
import { GetDocumentXmlHandler } from './use-cases/get-document-xml.js';
import { GetDocumentHandler } from './use-cases/get-document.js';
import { IssueDocumentHandler } from './use-cases/issue-document.js';
import { IssueDraftHandler } from './use-cases/issue-draft.js';
import { ListDocumentsHandler } from './use-cases/list-documents.js';
import { ListPausesHandler } from './use-cases/list-pauses.js';
import { ReconcileDocumentHandler } from './use-cases/reconcile-document.js';
import { ResumePauseHandler } from './use-cases/resume-pause.js';
import { RetryDocumentHandler } from './use-cases/retry-document.js';
import { UpdateDraftHandler } from './use-cases/update-draft.js';
import { ValidateDocumentHandler } from './use-cases/validate-document.js';
import { WithdrawCancellationHandler } from './use-cases/withdraw-cancellation.js';

const HANDLERS = [
  IssueDocumentHandler,
  ValidateDocumentHandler,
  CreateDraftHandler,
  UpdateDraftHandler,
  DeleteDraftHandler,
  IssueDraftHandler,
  CreateCreditNoteHandler,
  CorrectDocumentHandler,
  AwaitDocumentHandler,
  GetCreatedDraftHandler,
  GetDocumentHandler,
  GetDocumentXmlHandler,
  GetDocumentRideHandler,
  GetDocumentHistoryHandler,
  ListDocumentsHandler,
  ExportDocumentsHandler,
  RetryDocumentHandler,
  ReconcileDocumentHandler,
  AbandonDocumentHandler,
  CancelDocumentHandler,
  WithdrawCancellationHandler,
  ListPausesHandler,
  ResumePauseHandler,
];

const REPOSITORIES = [IssuingRepository, StoredDocumentsRepository, ModifiedDocumentsRepository, WithholdingsRepository, PausesRepository, DocumentListsRepository, DocumentExportsRepository];

/** Documents, for the API process: takes them in, shows them, and does what people ask. */
@Module({
  imports: [CqrsModule, HttpModule, PrintingModule, CatalogueModule],
  controllers: [DocumentsController, DraftsController, DocumentActionsController, PausesController],
  providers: [IssuancePreflight, CatalogueLines, DraftCreation, DraftTurns, Consultations, Verdicts, DocumentActions, ...REPOSITORIES, ...SRI_CLIENTS, ...HANDLERS],
})
export class DocumentsModule {}
