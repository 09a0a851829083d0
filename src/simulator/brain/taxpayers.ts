import { type SriMessage, sriMessage } from './messages.js';
import type { Header } from './submission.js';

/** What the SRI's registry holds about one RUC. */
export interface TaxpayerState {
  readonly exists: boolean;
  readonly active: boolean;
  /** Closed by sanction (63). */
  readonly sanctioned: boolean;
  /** Establishment codes that do not issue any more (56). */
  readonly closedEstablishments: readonly string[];
  /** Establishment codes closed by sanction (10). */
  readonly sanctionedEstablishments: readonly string[];
  /** Whether the taxpayer's class may issue (27). */
  readonly classAllowed: boolean;
  /** Whether the electronic-media agreement was accepted (28, at reception). */
  readonly agreementAccepted: boolean;
  /** Environments with an authorization to issue (37). */
  readonly enrolledIn: readonly ('1' | '2')[];
  /** Authorization suspended (57). */
  readonly suspended: boolean;
  /** Document types in the authorization request (34); null allows all. */
  readonly allowedTypes: readonly string[] | null;
}

const HEALTHY: TaxpayerState = {
  exists: true,
  active: true,
  sanctioned: false,
  closedEstablishments: [],
  sanctionedEstablishments: [],
  classAllowed: true,
  agreementAccepted: true,
  enrolledIn: ['1', '2'],
  suspended: false,
  allowedTypes: null,
};

/** The state of a RUC: a healthy taxpayer unless the settings say otherwise. */
export function taxpayer(overrides: Readonly<Record<string, Partial<TaxpayerState>>>, ruc: string): TaxpayerState {
  return { ...HEALTHY, ...overrides[ruc] };
}

/** The issuer and its establishment, checked before anything else at authorization. */
export function registryProblem(state: TaxpayerState, header: Header): SriMessage | null {
  if (!state.exists) return sriMessage('46');
  if (!state.active) return sriMessage('2');
  if (state.sanctioned) return sriMessage('63');
  if (state.closedEstablishments.includes(header.establishment)) return sriMessage('56');
  if (state.sanctionedEstablishments.includes(header.establishment)) return sriMessage('10');
  return null;
}

/** The issuer's permission to issue this type of document. */
export function permissionProblem(state: TaxpayerState, header: Header): SriMessage | null {
  if (!state.classAllowed) return sriMessage('27');
  if (!state.enrolledIn.some((environment) => environment === header.environment)) return sriMessage('37');
  if (state.suspended) return sriMessage('57');
  if (state.allowedTypes !== null && !state.allowedTypes.includes(header.documentType)) return sriMessage('34');
  return null;
}
