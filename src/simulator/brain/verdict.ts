import { keyDisagreement } from './checks/key-agreement.js';
import { receiverRefusal, receiverWarnings } from './checks/receiver.js';
import { supportRefusal, supportWarnings } from './checks/supporting-documents.js';
import { type SriMessage, sriMessage } from './messages.js';
import type { SimulatorSettings } from './settings.js';
import type { SignatureJudge } from './signature/verdict.js';
import type { Header, Submission } from './submission.js';
import { permissionProblem, registryProblem, taxpayer } from './taxpayers.js';
import type { DocumentReading, SupportingDocument } from './types/document-reading.js';

/** The decision about an accepted document. */
export interface Verdict {
  readonly authorized: boolean;
  readonly messages: readonly SriMessage[];
}

export interface VerdictContext {
  readonly settings: SimulatorSettings;
  readonly judge: SignatureJudge;
  readonly now: Date;
  /** Whether an authorised document holds a number (see `numberOf`). */
  isAuthorizedNumber(number: string): boolean;
}

/**
 * Authorization's checks, group by group as the SRI does them: taxpayer,
 * permission and key, signature, receiver and supporting documents, arithmetic.
 * The first failing group refuses; warnings never do.
 */
export function decide(submission: Submission, reading: DocumentReading, context: VerdictContext): Verdict {
  const { root, header } = submission;
  const { settings } = context;
  const issuer = taxpayer(settings.taxpayers, header.ruc);
  const refusal =
    registryProblem(issuer, header) ??
    permissionProblem(issuer, header) ??
    keyDisagreement(header, reading.issueDate(root)) ??
    hostProblem(header, settings) ??
    (settings.scrutiny === 'full' ? context.judge.problem(submission, settings, context.now) : null);
  if (refusal) return { authorized: false, messages: [refusal] };

  const receivers = reading.receivers(root);
  const supports = reading.supports(root);
  const warnings = [
    ...receivers.flatMap((receiver) => receiverWarnings(receiver, settings.unknownReceivers)),
    ...supportWarnings(supports, (support) => context.isAuthorizedNumber(supportNumber(submission, support))),
  ];
  const unsuitable =
    receivers.map((receiver) => receiverRefusal(receiver, header.documentType)).find((message) => message !== null) ??
    supportRefusal(supports);
  if (unsuitable) return { authorized: false, messages: [unsuitable, ...warnings] };

  const differences = reading.differences(root);
  if (differences.length > 0) {
    return { authorized: false, messages: [sriMessage('52', differences.join('; ')), ...warnings] };
  }
  return { authorized: true, messages: warnings };
}

/** The decision where nothing but the key was looked at: taxpayer, permission, environment. */
export function decideByKey(header: Header, settings: SimulatorSettings): Verdict {
  const issuer = taxpayer(settings.taxpayers, header.ruc);
  const refusal =
    registryProblem(issuer, header) ?? permissionProblem(issuer, header) ?? hostProblem(header, settings);
  return refusal ? { authorized: false, messages: [refusal] } : { authorized: true, messages: [] };
}

function hostProblem(header: Header, settings: SimulatorSettings): SriMessage | null {
  return settings.environments.some((environment) => environment === header.environment)
    ? null
    : sriMessage('58', `El ambiente ${header.environment} no corresponde a este servicio`);
}

function supportNumber({ header }: Submission, support: SupportingDocument): string {
  const digits = support.number.replaceAll('-', '');
  return [
    support.issuer ?? header.ruc,
    header.environment,
    support.documentType,
    digits.slice(0, 3),
    digits.slice(3, 6),
    digits.slice(6),
  ].join('-');
}
