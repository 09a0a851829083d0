import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { OutboxRelay } from '../../platform/outbox/relay.js';
import { PrintingModule } from '../../platform/printing/printing.module.js';
import { ReceptionClient } from '../../sri/soap/reception.js';
import { UndiciSoapTransport } from '../../sri/soap/transport.js';
import { SigningKeysModule } from '../issuers/public.js';
import type { Step } from './domain/lifecycle.js';
import { DocumentCountsRepository } from './persistence/document-counts.repository.js';
import { IssuingRepository } from './persistence/issuing.repository.js';
import { ModifiedDocumentsRepository } from './persistence/modified-documents.repository.js';
import { ParkedDocumentsRepository } from './persistence/parked-documents.repository.js';
import { AuthorizeStep } from './saga/authorize.step.js';
import { CountFolding } from './saga/count-folding.js';
import { DueSteps } from './saga/due-steps.js';
import { IssuanceProcessor } from './saga/issuance.processor.js';
import { MeasuredReception, SriMeter } from './saga/measured-sri.js';
import { ParkedWaking } from './saga/parked-waking.js';
import { PrepareStep } from './saga/prepare.step.js';
import { SAGA_STEPS, type SagaStep } from './saga/step.js';
import { SubmitStep } from './saga/submit.step.js';
import { WorkerWatch } from './saga/worker-watch.js';
import { SagaGauges } from './saga/saga-gauges.js';
import { SriBreaker } from './saga/sri-breaker.js';
import { SriCalls } from './saga/sri-calls.js';
import { SRI_CLIENTS, soapLimits } from './saga/sri-clients.js';
import { Transmission } from './saga/transmission.js';
import { WatchStep } from './saga/watch.step.js';
import { GetDocumentRideHandler } from './use-cases/get-document-ride.js';
import { GetDocumentXmlHandler } from './use-cases/get-document-xml.js';

const SAGA = [
  ...SRI_CLIENTS,
  PrepareStep,
  Transmission,
  SubmitStep,
  AuthorizeStep,
  WatchStep,
  SriBreaker,
  SriCalls,
  SagaGauges,
  {
    provide: SAGA_STEPS,
    inject: [PrepareStep, SubmitStep, AuthorizeStep, WatchStep],
    useFactory: (prepare: SagaStep, submit: SagaStep, authorize: SagaStep, watch: SagaStep): Record<Step, SagaStep> => ({ prepare, submit, authorize, watch }),
  },
  DueSteps,
  IssuanceProcessor,
  WorkerWatch,
  DocumentCountsRepository,
  CountFolding,
  ParkedDocumentsRepository,
  ParkedWaking,
  OutboxRelay,
  {
    provide: ReceptionClient,
    inject: [SriMeter, UndiciSoapTransport, SETTINGS],
    useFactory: (meter: SriMeter, transport: UndiciSoapTransport, settings: Settings) =>
      new MeasuredReception(meter, transport, settings.SRI_RECEPTION_URL, soapLimits(settings)),
  },
];

/** Documents, for the worker process: brings them to the SRI. */
@Module({ imports: [CqrsModule, SigningKeysModule, PrintingModule], providers: [...SAGA, IssuingRepository, ModifiedDocumentsRepository, GetDocumentXmlHandler, GetDocumentRideHandler] })
export class DocumentsWorkerModule {}
