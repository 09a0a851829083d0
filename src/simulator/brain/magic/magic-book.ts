import { type AppliedFault, isOpenTo, withAction } from '../applied-fault.js';
import type { ServiceName } from '../fault-actions.js';
import { type Directive, magicFieldOf, readDirectives, UnknownMagicValue } from './directives.js';

/** What the documents asked for. */
export interface MagicSnapshot {
  readonly plans: ReadonlyMap<string, readonly Directive[]>;
  readonly counters: ReadonlyMap<string, number>;
}

/** Other values hold for a key (null: none any more), or one of them has acted once more. */
export type MagicChange =
  | { readonly kind: 'magic_plan'; readonly accessKey: string; readonly plan: readonly Directive[] | null }
  | { readonly kind: 'magic_count'; readonly counter: string; readonly count: number };

/**
 * Magic values by access key: what the last submission under a key carried
 * holds for it, also for questions; how often each value has acted is counted
 * over all submissions under the key.
 */
export class MagicBook {
  private plans = new Map<string, readonly Directive[]>();
  private counters = new Map<string, number>();

  /** @param note is told every change before it is made */
  constructor(private readonly note: (change: MagicChange) => void = () => undefined) {}

  /** Notes what a submission asks for, and acts on it. */
  onSubmission(bytes: Uint8Array, accessKey: string | null, fault: AppliedFault): AppliedFault {
    if (accessKey === null) return fault;
    const field = magicFieldOf(bytes);
    if (field === null) {
      this.plan(accessKey, null);
      return fault;
    }
    try {
      this.plan(accessKey, readDirectives(field));
    } catch (error) {
      if (!(error instanceof UnknownMagicValue)) throw error;
      this.plan(accessKey, null);
      const info = `Simulador: ${error.message}`;
      return withAction(fault, { kind: 'refuse', code: '35', at: 'reception', stored: false, info }, { magic: field });
    }
    return this.act('reception', accessKey, fault);
  }

  /** Acts on a question about a key. */
  onQuestion(service: ServiceName, accessKey: string, fault: AppliedFault): AppliedFault {
    return this.act(service, accessKey, fault);
  }

  /** Makes a change that was noted. */
  apply(change: MagicChange): void {
    if (change.kind === 'magic_count') this.counters.set(change.counter, change.count);
    else if (change.plan === null) this.plans.delete(change.accessKey);
    else this.plans.set(change.accessKey, change.plan);
  }

  snapshot(): MagicSnapshot {
    return { plans: new Map(this.plans), counters: new Map(this.counters) };
  }

  restore(snapshot: MagicSnapshot): void {
    this.plans = new Map(snapshot.plans);
    this.counters = new Map(snapshot.counters);
  }

  private plan(accessKey: string, plan: readonly Directive[] | null): void {
    if (plan === null && !this.plans.has(accessKey)) return;
    this.change({ kind: 'magic_plan', accessKey, plan });
  }

  private change(change: MagicChange): void {
    this.note(change);
    this.apply(change);
  }

  /** The first value that decides and is not used up acts, and each that adds up; the others are not counted. */
  private act(service: ServiceName, accessKey: string, before: AppliedFault): AppliedFault {
    let fault = before;
    for (const directive of this.plans.get(accessKey) ?? []) {
      if (directive.service !== service || !isOpenTo(fault, directive.action)) continue;
      if (!this.counts(accessKey, directive)) continue;
      fault = withAction(fault, directive.action, { magic: directive.text });
    }
    return fault;
  }

  private counts(accessKey: string, { text, times }: Directive): boolean {
    const counter = `${accessKey}/${text}`;
    const ordinal = (this.counters.get(counter) ?? 0) + 1;
    this.change({ kind: 'magic_count', counter, count: ordinal });
    return times === null || ordinal <= times;
  }
}
