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

  /** Notes what a submission asks for: it holds for its key from now on, and nothing that was asked for before. */
  noteSubmission(bytes: Uint8Array, accessKey: string): void {
    const plan = planOf(bytes);
    if (plan === null && !this.plans.has(accessKey)) return;
    this.change({ kind: 'magic_plan', accessKey, plan });
  }

  /** Acts on a request about a key. The first value that decides and is not used up acts, and each that adds up; the others are not counted. */
  act(service: ServiceName, accessKey: string, before: AppliedFault): AppliedFault {
    let fault = before;
    for (const directive of this.plans.get(accessKey) ?? []) {
      if (directive.service !== service || !isOpenTo(fault, directive.action)) continue;
      if (!this.counts(accessKey, directive)) continue;
      fault = withAction(fault, directive.action, { magic: directive.text });
    }
    return fault;
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

  private change(change: MagicChange): void {
    this.note(change);
    this.apply(change);
  }

  private counts(accessKey: string, { text, times }: Directive): boolean {
    const counter = `${accessKey}/${text}`;
    const ordinal = (this.counters.get(counter) ?? 0) + 1;
    this.change({ kind: 'magic_count', counter, count: ordinal });
    return times === null || ordinal <= times;
  }
}

/** What a document asks for; null for nothing. A value that does not exist asks for a refusal that names it. */
function planOf(bytes: Uint8Array): readonly Directive[] | null {
  const field = magicFieldOf(bytes);
  if (field === null) return null;
  try {
    return readDirectives(field);
  } catch (error) {
    if (!(error instanceof UnknownMagicValue)) throw error;
    const info = `Simulador: ${error.message}`;
    return [{ text: field, service: 'reception', times: null, action: { kind: 'refuse', code: '35', at: 'reception', stored: false, info } }];
  }
}
