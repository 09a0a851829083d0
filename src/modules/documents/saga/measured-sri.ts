import type { Meters } from '../../../platform/observability/meters.js';
import { type AuthorizationAnswer, AuthorizationClient } from '../../../sri/soap/authorization.js';
import { authorizationState, rowOf, type SriService } from '../../../sri/soap/classification.js';
import { type ConsultationAnswer, ConsultationClient } from '../../../sri/soap/consultation.js';
import type { Unanswered } from '../../../sri/soap/exchange.js';
import type { SriMessage } from '../../../sri/soap/message.js';
import { type ReceptionAnswer, ReceptionClient } from '../../../sri/soap/reception.js';
import type { SoapLimits, SoapTransport } from '../../../sri/soap/transport.js';

/** Notes how long each call to the SRI takes and what it says; the answers pass unchanged. */
export class SriMeter {
  constructor(private readonly meters: Meters) {}

  /** @param wordsOf the states that an answer names, out of a list that is known beforehand, and its messages */
  async call<Answer extends { readonly kind: string }>(
    service: SriService,
    ask: () => Promise<Answer | Unanswered>,
    wordsOf: (answer: Answer) => { readonly states: readonly string[]; readonly messages: readonly SriMessage[] },
  ): Promise<Answer | Unanswered> {
    const startedAt = performance.now();
    const answer = await ask();
    const answered = !isUnanswered(answer);
    this.meters.time('sriCalls', { service, outcome: answered ? 'answered' : answer.kind }, performance.now() - startedAt);
    if (answered) {
      const { states, messages } = wordsOf(answer);
      for (const state of states) this.meters.count('sriCodes', { service, code: state });
      for (const { identifier } of messages) this.tellCode(service, identifier);
    } else if (answer.kind === 'no_evidence') {
      for (const code of answer.codes ?? []) {
        this.tellCode(service, code);
        if (rowOf(service, code)?.ours === true) this.meters.count('ownFaults', { source: service, code });
      }
    }
    return answer;
  }

  private tellCode(service: SriService, code: string | null): void {
    if (code !== null) this.meters.count('sriCodes', { service, code: rowOf(service, code) === undefined ? 'other' : code });
  }
}

const isUnanswered = (answer: { readonly kind: string }): answer is Unanswered => answer.kind === 'not_delivered' || answer.kind === 'no_evidence';

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
