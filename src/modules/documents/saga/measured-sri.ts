import type { Meters } from '../../../platform/observability/meters.js';
import { failSpan, noteSpan, traced } from '../../../platform/tracing/spans.js';
import { type AuthorizationAnswer, AuthorizationClient } from '../../../sri/soap/authorization.js';
import { authorizationState, rowOf, type SriService } from '../../../sri/soap/classification.js';
import { type ConsultationAnswer, ConsultationClient } from '../../../sri/soap/consultation.js';
import type { SriMessage } from '../../../sri/soap/message.js';
import { type ReceptionAnswer, ReceptionClient } from '../../../sri/soap/reception.js';
import type { SoapLimits, SoapTransport } from '../../../sri/soap/transport.js';
import { isUnanswered, type Unanswered } from '../../../sri/soap/unanswered.js';

/** Notes how long each call to the SRI takes and what it says; the answers pass unchanged. */
export class SriMeter {
  constructor(private readonly meters: Meters) {}

  /** @param wordsOf the states that an answer names, out of a list that is known beforehand, and its messages */
  call<Answer extends { readonly kind: string }>(
    service: SriService,
    ask: () => Promise<Answer | Unanswered>,
    wordsOf: (answer: Answer) => { readonly states: readonly string[]; readonly messages: readonly SriMessage[] },
  ): Promise<Answer | Unanswered> {
    return traced({ name: `SRI ${service}`, kind: 'client', attributes: { 'sello.sri.service': service } }, async () => {
      const startedAt = performance.now();
      const answer = await ask();
      const answered = !isUnanswered(answer);
      this.meters.time('sriCalls', { service, outcome: answered ? 'answered' : answer.kind }, performance.now() - startedAt);
      if (answered) {
        const { states, messages } = wordsOf(answer);
        for (const state of states) this.meters.count('sriCodes', { service, code: state });
        noteSpan({ 'sello.sri.outcome': 'answered', 'sello.sri.states': states });
        this.tellCodes(service, messages.map(({ identifier }) => identifier));
      } else {
        noteSpan({ 'sello.sri.outcome': answer.kind });
        failSpan(answer.kind);
        this.tellUnanswered(service, answer);
      }
      return answer;
    });
  }

  private tellUnanswered(service: SriService, answer: Unanswered): void {
    if (answer.kind !== 'no_evidence') return;
    const codes = answer.codes ?? [];
    this.tellCodes(service, codes);
    for (const code of codes) if (rowOf(service, code)?.ours === true) this.meters.count('ownFaults', { source: service, code });
  }

  private tellCodes(service: SriService, said: readonly (string | null)[]): void {
    const codes = said.filter((code) => code !== null).map((code) => (rowOf(service, code) === undefined ? 'other' : code));
    for (const code of codes) this.meters.count('sriCodes', { service, code });
    if (codes.length > 0) noteSpan({ 'sello.sri.codes': codes });
  }
}

export class MeasuredReception extends ReceptionClient {
  constructor(
    private readonly meter: SriMeter,
    ...wiring: [transport: SoapTransport, url: string, limits: SoapLimits]
  ) {
    super(...wiring);
  }

  override submit(signed: Uint8Array, accessKey: string): Promise<ReceptionAnswer> {
    return this.meter.call('reception', () => super.submit(signed, accessKey), ({ kind, messages }) => ({ states: [kind === 'received' ? 'RECIBIDA' : 'DEVUELTA'], messages }));
  }
}

export class MeasuredAuthorization extends AuthorizationClient {
  constructor(
    private readonly meter: SriMeter,
    ...wiring: [transport: SoapTransport, url: string, limits: SoapLimits]
  ) {
    super(...wiring);
  }

  override query(accessKey: string): Promise<AuthorizationAnswer> {
    return this.meter.call('authorization', () => super.query(accessKey), ({ entries }) => ({
      states: entries.length === 0 ? ['none'] : entries.map(({ estado }) => (authorizationState(estado) === 'unknown' ? 'other' : estado)),
      messages: entries.flatMap(({ messages }) => messages),
    }));
  }
}

export class MeasuredConsultation extends ConsultationClient {
  constructor(
    private readonly meter: SriMeter,
    ...wiring: [transport: SoapTransport, url: string, limits: SoapLimits]
  ) {
    super(...wiring);
  }

  override query(accessKey: string): Promise<ConsultationAnswer> {
    return this.meter.call('consultation', () => super.query(accessKey), (answer) => ({
      states: [answer.kind === 'unknown' ? 'none' : answer.state === 'unknown_state' ? 'other' : answer.estado],
      messages: answer.messages,
    }));
  }
}
