import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { OutboxRelay } from '../../platform/outbox/relay.js';
import { PrintingModule } from '../../platform/printing/printing.module.js';
import { AuthorizationClient } from '../../sri/soap/authorization.js';
import { ConsultationClient } from '../../sri/soap/consultation.js';
import { ReceptionClient } from '../../sri/soap/reception.js';
import { UndiciSoapTransport } from '../../sri/soap/transport.js';
import { CatalogueModule } from '../catalogue/public.js';
import { IssuersModule } from '../issuers/public.js';
import { DocumentActsController } from './document-acts.controller.js';
import { DraftsController } from './drafts.controller.js';
import { DocumentsController } from './documents.controller.js';
import { PausesController } from './pauses.controller.js';
import { DocumentExportsRepository } from './persistence/document-exports.repository.js';
import { DocumentListsRepository } from './persistence/document-lists.repository.js';
import { DocumentsRepository } from './persistence/documents.repository.js';
import { AuthorizeStep } from './saga/authorize.step.js';
import { CountFolding } from './saga/count-folding.js';
import { IssuanceProcessor } from './saga/issuance.processor.js';
import { SAGA_POLICY, sagaPolicy } from './saga/policy.js';
import { PrepareStep } from './saga/prepare.step.js';
import { SubmitStep } from './saga/submit.step.js';
import { WorkerWatch } from './saga/worker-watch.js';
import { SriBreaker } from './saga/sri-breaker.js';
import { WatchStep } from './saga/watch.step.js';
import { AbandonDocumentHandler } from './use-cases/abandon-document.js';
import { CancelDocumentHandler } from './use-cases/cancel-document.js';
import { CatalogueLines } from './use-cases/catalogue-lines.js';
import { CorrectDocumentHandler } from './use-cases/correct-document.js';
import { CreateCreditNoteHandler } from './use-cases/create-credit-note.js';
import { CreateDraftHandler } from './use-cases/create-draft.js';
import { DraftStore } from './use-cases/draft-store.js';
import { DeleteDraftHandler } from './use-cases/delete-draft.js';
import { DocumentActs } from './use-cases/document-acts.js';
import { GetDocumentHistoryHandler } from './use-cases/get-document-history.js';
import { GetDocumentRideHandler } from './use-cases/get-document-ride.js';
import { ReconcileDocumentHandler } from './use-cases/reconcile-document.js';
import { RetryDocumentHandler } from './use-cases/retry-document.js';
import { WithdrawCancellationHandler } from './use-cases/withdraw-cancellation.js';
import { IssueDraftHandler } from './use-cases/issue-draft.js';
import { StoredDocuments } from './use-cases/stored-document.js';
import { UpdateDraftHandler } from './use-cases/update-draft.js';
import { ValidateDocumentHandler } from './use-cases/validate-document.js';
import { AwaitDocumentHandler } from './use-cases/await-document.js';
import { ExportDocumentsHandler } from './use-cases/export-documents.js';
import { GetDocumentHandler } from './use-cases/get-document.js';
import { GetDocumentXmlHandler } from './use-cases/get-document-xml.js';
import { IssuingDesk } from './use-cases/issuing-desk.js';
import { IssueDocumentHandler } from './use-cases/issue-document.js';
import { ListPausesHandler } from './use-cases/list-pauses.js';
import { ResumePauseHandler } from './use-cases/resume-pause.js';
import { ListDocumentsHandler } from './use-cases/list-documents.js';

const MAX_ANSWER_BYTES = 2_097_152;

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

/** What both halves need to ask the SRI about a document and to write what they learn. */
const ASKING = [
  DocumentsRepository,
  UndiciSoapTransport,
  { provide: SAGA_POLICY, inject: [SETTINGS], useFactory: sagaPolicy },
  {
    provide: AuthorizationClient,
    inject: [UndiciSoapTransport, SETTINGS],
    useFactory: (transport: UndiciSoapTransport, settings: Settings) =>
      new AuthorizationClient(transport, settings.SRI_AUTHORIZATION_URL, limits(settings)),
  },
  {
    provide: ConsultationClient,
    inject: [UndiciSoapTransport, SETTINGS],
    useFactory: (transport: UndiciSoapTransport, settings: Settings) =>
      new ConsultationClient(transport, settings.SRI_CONSULTATION_URL, limits(settings)),
  },
];

const SAGA = [
  ...ASKING,
  PrepareStep,
  SubmitStep,
  AuthorizeStep,
  WatchStep,
  SriBreaker,
  IssuanceProcessor,
  WorkerWatch,
  CountFolding,
  OutboxRelay,
  {
    provide: ReceptionClient,
    inject: [UndiciSoapTransport, SETTINGS],
    useFactory: (transport: UndiciSoapTransport, settings: Settings) =>
      new ReceptionClient(transport, settings.SRI_RECEPTION_URL, limits(settings)),
  },
];

const limits = (settings: Settings): { timeoutMs: number; maxBytes: number } => ({
  timeoutMs: settings.SRI_TIMEOUT_SECONDS * 1_000,
  maxBytes: MAX_ANSWER_BYTES,
});

/** Documents: the HTTP half takes them in and shows them, the worker half brings them to the SRI. */
@Module({})
export class DocumentsModule {
  /** For the API process. */
  static http(): DynamicModule {
    return { module: DocumentsModule, imports: [CqrsModule, PrintingModule, CatalogueModule], controllers: [DocumentsController, DraftsController, DocumentActsController, PausesController], providers: [IssuingDesk, CatalogueLines, DraftStore, StoredDocuments, DocumentActs, DocumentListsRepository, DocumentExportsRepository, ...ASKING, ...HANDLERS] };
  }

  /** For the worker process. */
  static worker(): DynamicModule {
    return { module: DocumentsModule, imports: [CqrsModule, IssuersModule.worker(), PrintingModule], providers: [...SAGA, GetDocumentXmlHandler, GetDocumentRideHandler] };
  }
}
