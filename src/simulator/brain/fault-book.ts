import { keySegments } from './access-key-segments.js';
import { type AppliedFault, isOpenTo, UNFAULTED, withAction } from './applied-fault.js';
import type { ServiceName } from './fault-actions.js';
import { actsOn, type FaultRule, type FaultRuleInput, parseFaultRules } from './fault-rules.js';

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

  /** @returns whether there was such a rule */
  remove(id: number): boolean {
    for (const name of [...this.counters.keys()]) if (name.startsWith(`${id}/`)) this.counters.delete(name);
    return this.rules.delete(id);
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
  apply(service: ServiceName, accessKey: string | null, taxpayer: string | null = null): AppliedFault {
    let fault = UNFAULTED;
    for (const [id, rule] of this.rules) {
      if (!actsOn(rule, service) || !concerns(rule, accessKey, taxpayer)) continue;
      if (!isOpenTo(fault, rule.action) || !this.hits(id, rule, accessKey ?? taxpayer)) continue;
      fault = withAction(fault, rule.action, { rule: id });
    }
    return fault;
  }

  snapshot(): FaultSnapshot {
    return { rules: new Map(this.rules), counters: new Map(this.counters), lastId: this.lastId };
  }

  restore(snapshot: FaultSnapshot): void {
    this.rules = new Map(snapshot.rules);
    this.counters = new Map(snapshot.counters);
    this.lastId = snapshot.lastId;
  }

  private hits(id: number, rule: FaultRule, key: string | null): boolean {
    const counter = `${id}/${rule.per_key ? (key ?? '') : ''}`;
    const ordinal = (this.counters.get(counter) ?? 0) + 1;
    this.counters.set(counter, ordinal);
    if (rule.nth) return rule.nth.includes(ordinal);
    const skip = rule.skip ?? 0;
    const times = rule.times === undefined ? 1 : rule.times;
    return ordinal > skip && (times === null || ordinal <= skip + times);
  }
}

function concerns({ match }: FaultRule, accessKey: string | null, taxpayer: string | null): boolean {
  if (match.access_key !== undefined && match.access_key !== accessKey) return false;
  if (match.ruc === undefined && match.document_type === undefined) return true;
  if (taxpayer !== null) return match.document_type === undefined && match.ruc === taxpayer;
  if (accessKey?.length !== 49) return false;
  const { ruc, documentType } = keySegments(accessKey);
  return (match.ruc ?? ruc) === ruc && (match.document_type ?? documentType) === documentType;
}
