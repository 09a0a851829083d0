import { type Settings, SETTINGS } from '../../../config/settings.js';
import { Meters } from '../../../platform/observability/meters.js';
import { AuthorizationClient } from '../../../sri/soap/authorization.js';
import { ConsultationClient } from '../../../sri/soap/consultation.js';
import { UndiciSoapTransport } from '../../../sri/soap/transport.js';
import { CountedDocuments } from '../persistence/counted-documents.js';
import { DocumentsRepository } from '../persistence/documents.repository.js';
import { MeasuredAuthorization, MeasuredConsultation, SriMeter } from './measured-sri.js';
import { SAGA_POLICY, sagaPolicy } from './policy.js';

const MAX_ANSWER_BYTES = 2_097_152;

/** How long an answer of the SRI may take and how large it may be. */
export const limits = (settings: Settings): { timeoutMs: number; maxBytes: number } => ({
  timeoutMs: settings.SRI_TIMEOUT_SECONDS * 1_000,
  maxBytes: MAX_ANSWER_BYTES,
});

/** What both halves need to ask the SRI about a document and to write what they learn. */
export const ASKING = [
  { provide: DocumentsRepository, useClass: CountedDocuments },
  UndiciSoapTransport,
  { provide: SriMeter, inject: [Meters], useFactory: (meters: Meters) => new SriMeter(meters) },
  { provide: SAGA_POLICY, inject: [SETTINGS], useFactory: sagaPolicy },
  {
    provide: AuthorizationClient,
    inject: [SriMeter, UndiciSoapTransport, SETTINGS],
    useFactory: (meter: SriMeter, transport: UndiciSoapTransport, settings: Settings) =>
      new MeasuredAuthorization(meter, transport, settings.SRI_AUTHORIZATION_URL, limits(settings)),
  },
  {
    provide: ConsultationClient,
    inject: [SriMeter, UndiciSoapTransport, SETTINGS],
    useFactory: (meter: SriMeter, transport: UndiciSoapTransport, settings: Settings) =>
      new MeasuredConsultation(meter, transport, settings.SRI_CONSULTATION_URL, limits(settings)),
  },
];
