import { type Settings, SETTINGS } from '../../../config/settings.js';
import { Meters } from '../../../platform/observability/meters.js';
import { AuthorizationClient } from '../../../sri/soap/authorization.js';
import { ConsultationClient } from '../../../sri/soap/consultation.js';
import { MAX_ANSWER_BYTES, UndiciSoapTransport } from '../../../sri/soap/transport.js';
import { MeasuredDocumentsRepository } from '../persistence/measured-documents.repository.js';
import { DocumentsRepository } from '../persistence/documents.repository.js';
import { MeasuredAuthorization, MeasuredConsultation, SriMeter } from './measured-sri.js';
import { SAGA_POLICY, sagaPolicy } from './policy.js';
import { callsAtOnce } from './sri-calls.js';

/** How long an answer of the SRI may take and how large it may be. */
export const soapLimits = (settings: Settings): { timeoutMs: number; maxBytes: number } => ({
  timeoutMs: settings.SRI_TIMEOUT_SECONDS * 1_000,
  maxBytes: MAX_ANSWER_BYTES,
});

/** The SRI's services about documents that were sent, for both processes, and what is needed to record their answers. */
export const SRI_CLIENTS = [
  { provide: DocumentsRepository, useClass: MeasuredDocumentsRepository },
  {
    provide: UndiciSoapTransport,
    inject: [SETTINGS],
    useFactory: ({ WORKER_CONCURRENCY }: Settings) => new UndiciSoapTransport({ connections: callsAtOnce(WORKER_CONCURRENCY) }),
  },
  { provide: SriMeter, inject: [Meters], useFactory: (meters: Meters) => new SriMeter(meters) },
  { provide: SAGA_POLICY, inject: [SETTINGS], useFactory: sagaPolicy },
  {
    provide: AuthorizationClient,
    inject: [SriMeter, UndiciSoapTransport, SETTINGS],
    useFactory: (meter: SriMeter, transport: UndiciSoapTransport, settings: Settings) =>
      new MeasuredAuthorization(meter, transport, settings.SRI_AUTHORIZATION_URL, soapLimits(settings)),
  },
  {
    provide: ConsultationClient,
    inject: [SriMeter, UndiciSoapTransport, SETTINGS],
    useFactory: (meter: SriMeter, transport: UndiciSoapTransport, settings: Settings) =>
      new MeasuredConsultation(meter, transport, settings.SRI_CONSULTATION_URL, soapLimits(settings)),
  },
];
