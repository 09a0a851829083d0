import type { AuthorizationAction, ConsultationAction } from './fault-actions.js';
import { unanswered } from './consultation.js';
import { sriMessage } from './messages.js';
import { type AuthorizationEntry, type AuthorizationOutcome, type ConsultationOutcome, refusedQuery } from './outcome.js';

/** An answer that departs from what the SRI holds; nothing stored changes. */
export function distort(honest: AuthorizationOutcome, accessKey: string, action: AuthorizationAction): AuthorizationOutcome {
  const last: AuthorizationEntry = honest.entries.at(-1) ?? {
    estado: '',
    authorizationNumber: null,
    authorizedAt: null,
    environment: accessKey[23] === '2' ? '2' : '1',
    document: null,
    messages: [],
  };
  const undecided = { ...last, authorizationNumber: null, authorizedAt: null, messages: [] };
  switch (action.kind) {
    case 'empty':
      return { consultedKey: accessKey, entries: [] };
    case 'repeated':
      return { ...honest, entries: [...honest.entries, ...honest.entries.slice(-1)] };
    case 'refused_before': {
      const older = { ...undecided, estado: 'NO AUTORIZADO', messages: [sriMessage(action.code)] };
      return { ...honest, entries: [older, ...honest.entries] };
    }
    case 'query_refused':
      return refusedQuery(action.code);
    case 'in_process':
      return { consultedKey: accessKey, entries: [{ ...undecided, estado: 'EN PROCESO' }] };
    case 'answer_refused':
      return {
        consultedKey: accessKey,
        entries: [{ ...undecided, estado: 'NO AUTORIZADO', messages: [sriMessage(action.code, action.info ?? null)] }],
      };
    case 'state':
      return { consultedKey: accessKey, entries: [{ ...last, estado: action.estado }] };
    case 'tampered':
      return action.what === 'key'
        ? { ...honest, consultedKey: otherKey(accessKey) }
        : {
            ...honest,
            entries: honest.entries.map((entry) => ({
              ...entry,
              document: entry.document?.replace(/<razonSocial>[^<]*/, '<razonSocial>OTRA EMPRESA') ?? null,
            })),
          };
  }
}

/** Answers a consultation otherwise than the truth, as a directive asks. */
export function distortConsultation(
  honest: ConsultationOutcome,
  accessKey: string,
  action: ConsultationAction,
): ConsultationOutcome {
  switch (action.kind) {
    case 'consult_refused':
      return unanswered(accessKey, action.info ?? 'No existen datos para los parámetros ingresados', action.code);
    case 'consult_state':
      return { ...honest, refusal: null, estado: action.estado };
  }
}

/** The same key with another numeric code. */
function otherKey(accessKey: string): string {
  const digit = accessKey[46] === '9' ? '0' : '9';
  return `${accessKey.slice(0, 46)}${digit}${accessKey.slice(47)}`;
}
