import { type AppliedFault, withAction } from '../applied-fault.js';
import type { ServiceName } from '../fault-actions.js';
import { type Directive, magicFieldOf, readDirectives, UnknownMagicValue } from './directives.js';

/** What the documents asked for. */
export interface MagicSnapshot {
  readonly plans: ReadonlyMap<string, readonly Directive[]>;
  readonly counters: ReadonlyMap<string, number>;
}

/**
 * Magic values by access key: what the last submission under a key carried
 * holds for it, also for questions; how often each value has acted is counted
 * over all submissions under the key.
 */
export class MagicBook {
  private plans = new Map<string, readonly Directive[]>();
  private counters = new Map<string, number>();

  /** Notes what a submission asks for, and acts on it. */
  onSubmission(bytes: Uint8Array, accessKey: string | null, fault: AppliedFault): AppliedFault {
    if (accessKey === null) return fault;
    const field = magicFieldOf(bytes);
    if (field === null) {
      this.plans.delete(accessKey);
      return fault;
    }
    try {
      this.plans.set(accessKey, readDirectives(field));
    } catch (error) {
      if (!(error instanceof UnknownMagicValue)) throw error;
      this.plans.delete(accessKey);
      const info = `Simulador: ${error.message}`;
      return withAction(fault, { kind: 'refuse', code: '35', at: 'reception', stored: false, info }, { magic: field });
    }
    return this.act('reception', accessKey, fault);
  }

  /** Acts on a question about a key. */
  onQuestion(service: ServiceName, accessKey: string, fault: AppliedFault): AppliedFault {
    return this.act(service, accessKey, fault);
  }

  snapshot(): MagicSnapshot {
    return { plans: new Map(this.plans), counters: new Map(this.counters) };
  }

  restore(snapshot: MagicSnapshot): void {
    this.plans = new Map(snapshot.plans);
    this.counters = new Map(snapshot.counters);
  }

  /** Values act in the order in which they are written; the first decisive one that is not used up ends it. */
  private act(service: ServiceName, accessKey: string, before: AppliedFault): AppliedFault {
    let fault = before;
    for (const directive of this.plans.get(accessKey) ?? []) {
      if (directive.service !== service || !this.counts(accessKey, directive)) continue;
      fault = withAction(fault, directive.action, { magic: directive.text });
      if (fault.source !== null) break;
    }
    return fault;
  }

  private counts(accessKey: string, { text, times }: Directive): boolean {
    const counter = `${accessKey}/${text}`;
    const ordinal = (this.counters.get(counter) ?? 0) + 1;
    this.counters.set(counter, ordinal);
    return times === null || ordinal <= times;
  }
}
