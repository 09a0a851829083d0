import {
  addsUp,
  type AuthorizationAction,
  type ConsultationAction,
  type FaultAction,
  type ReceptionAction,
  type StoringAction,
  type TransportAction,
} from './fault-actions.js';
import type { OutageKind } from './outages.js';

/** What happens to one request. Delays, and changes to what is stored, add up; of all other faults the first that hits wins. */
export interface AppliedFault {
  readonly delayMs: number;
  readonly storing: readonly StoringAction[];
  /** Where the decisive action comes from; null without one. */
  readonly source: FaultSource | null;
  readonly transport: TransportAction | null;
  readonly reception: ReceptionAction | null;
  readonly authorization: AuthorizationAction | null;
  readonly consultation: ConsultationAction | null;
}

/** A rule by its id, a magic value as written, or a service that is down. */
export type FaultSource = { readonly rule: number } | { readonly magic: string } | { readonly outage: OutageKind };

/** Nothing decisive. */
export const UNFAULTED: AppliedFault = {
  delayMs: 0,
  storing: [],
  source: null,
  transport: null,
  reception: null,
  authorization: null,
  consultation: null,
};

/** Whether one more action may act: of those that decide only the first, so that later ones wait for a request of their own. */
export function isOpenTo(fault: AppliedFault, action: FaultAction): boolean {
  return fault.source === null || addsUp(action);
}

/** A fault with one more action in it. */
export function withAction(fault: AppliedFault, action: FaultAction, source: FaultSource): AppliedFault {
  switch (action.kind) {
    case 'delay':
      return { ...fault, delayMs: fault.delayMs + action.ms };
    case 'processing':
    case 'warn':
    case 'annul':
      return { ...fault, storing: [...fault.storing, action] };
    case 'hang':
    case 'reset':
    case 'http':
    case 'malformed':
    case 'drip':
      return { ...fault, source, transport: action };
    case 'refuse':
      return { ...fault, source, reception: action };
    case 'in_process':
    case 'empty':
    case 'repeated':
    case 'refused_before':
    case 'query_refused':
    case 'answer_refused':
    case 'state':
    case 'tampered':
      return { ...fault, source, authorization: action };
    case 'consult_refused':
    case 'consult_state':
      return { ...fault, source, consultation: action };
  }
}
