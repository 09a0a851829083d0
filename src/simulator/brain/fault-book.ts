import { keySegments } from './access-key-segments.js';
import {
  actsOn,
  type AuthorizationAction,
  type ConsultationAction,
  type FaultRule,
  type FaultRuleInput,
  parseFaultRules,
  type ReceptionAction,
  type ServiceName,
  type TransportAction,
} from './fault-rules.js';
import type { OutageKind } from './outages.js';

/** What happens to one request. Delays add up; of the rest the first rule that hits wins. */
export interface AppliedFault {
  readonly delayMs: number;
  /** Where the action comes from; null without one. */
  readonly source: FaultSource | null;
  readonly transport: TransportAction | null;
  readonly reception: ReceptionAction | null;
  readonly authorization: AuthorizationAction | null;
  readonly consultation: ConsultationAction | null;
}

/** A rule by its id, a magic value as written, or a service that is down. */
export type FaultSource = { readonly rule: number } | { readonly magic: string } | { readonly outage: OutageKind };

/** No action, perhaps a delay. */
export function unfaulted(delayMs = 0): AppliedFault {
  return { delayMs, source: null, transport: null, reception: null, authorization: null, consultation: null };
}

/** An action in the place where it acts. */
export function applied(action: Exclude<FaultRule['action'], { kind: 'delay' }>, source: FaultSource, delayMs = 0): AppliedFault {
  const fault = { ...unfaulted(delayMs), source };
  switch (action.kind) {
    case 'hang':
    case 'reset':
    case 'http':
    case 'malformed':
    case 'drip':
      return { ...fault, transport: action };
    case 'refuse':
      return { ...fault, reception: action };
    case 'in_process':
    case 'empty':
    case 'answer_refused':
    case 'state':
    case 'tampered':
      return { ...fault, authorization: action };
    case 'consult_refused':
    case 'consult_state':
      return { ...fault, consultation: action };
  }
}

export interface ListedRule {
  readonly id: number;
  readonly rule: FaultRule;
  /** Matching requests seen so far. */
  readonly seen: number;
}

export interface FaultSnapshot {
  readonly rules: ReadonlyMap<number, FaultRule>;
  readonly counters: ReadonlyMap<string, number>;
  readonly lastId: number;
}

/** The fault rules in force and how often each has matched. */
export class FaultBook {
  private rules = new Map<number, FaultRule>();
  private counters = new Map<string, number>();
  private lastId = 0;

  /** Adds rules after the existing ones. @throws InvalidFaultRule @returns their ids */
  add(input: FaultRuleInput | { readonly rules: readonly FaultRuleInput[] }): readonly number[] {
    return this.addParsed(parseFaultRules(input));
  }

  addParsed(rules: readonly FaultRule[]): readonly number[] {
    return rules.map((rule) => {
      this.lastId += 1;
      this.rules.set(this.lastId, rule);
      return this.lastId;
    });
  }

  clear(): void {
    this.rules.clear();
    this.counters.clear();
  }

  list(): readonly ListedRule[] {
    return [...this.rules].map(([id, rule]) => ({
      id,
      rule,
      seen: [...this.counters].reduce((sum, [name, count]) => (name.startsWith(`${id}/`) ? sum + count : sum), 0),
    }));
  }

  /** Counts a request against the rules and says what happens to it. */
  apply(service: ServiceName, accessKey: string | null): AppliedFault {
    let delayMs = 0;
    for (const [id, rule] of this.rules) {
      if (!actsOn(rule, service) || !concerns(rule, accessKey)) continue;
      if (!this.hits(id, rule, accessKey)) continue;
      const { action } = rule;
      if (action.kind !== 'delay') return applied(action, { rule: id }, delayMs);
      delayMs += action.ms;
    }
    return unfaulted(delayMs);
  }

  snapshot(): FaultSnapshot {
    return { rules: new Map(this.rules), counters: new Map(this.counters), lastId: this.lastId };
  }

  restore(snapshot: FaultSnapshot): void {
    this.rules = new Map(snapshot.rules);
    this.counters = new Map(snapshot.counters);
    this.lastId = snapshot.lastId;
  }

  private hits(id: number, rule: FaultRule, accessKey: string | null): boolean {
    const counter = `${id}/${rule.per_key ? (accessKey ?? '') : ''}`;
    const ordinal = (this.counters.get(counter) ?? 0) + 1;
    this.counters.set(counter, ordinal);
    if (rule.nth) return rule.nth.includes(ordinal);
    const skip = rule.skip ?? 0;
    const times = rule.times === undefined ? 1 : rule.times;
    return ordinal > skip && (times === null || ordinal <= skip + times);
  }
}

function concerns({ match }: FaultRule, accessKey: string | null): boolean {
  if (match.access_key !== undefined && match.access_key !== accessKey) return false;
  return match.ruc === undefined || (accessKey?.length === 49 && keySegments(accessKey).ruc === match.ruc);
}
