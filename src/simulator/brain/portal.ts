import { addBusinessDays, businessDayFrom, dayOfNextMonth } from './business-days.js';
import { guayaquilDayNumber, startOfDay } from './guayaquil-time.js';
import type { StoredDocument } from './register.js';

/** What the portal answers to a person who wants a document annulled, or is asked to accept it. */
export type PortalAnswer =
  | { readonly done: true; readonly state: AnnulmentState; readonly acceptBefore: Date | null }
  | { readonly done: false; readonly reason: PortalRefusal };

export type PortalRefusal =
  | 'not_authorized'
  | 'already_annulled'
  | 'already_requested'
  | 'final_consumer'
  | 'deadline_passed'
  | 'nothing_to_accept';

/** `none` also after the receiver refused or let the time pass. */
export type AnnulmentState = 'none' | 'pending' | 'annulled';

interface Annulment {
  readonly requestedAt: Date;
  /** The receiver's time ends here; null when nobody is asked. */
  readonly acceptBefore: Date | null;
  /** When it takes effect; null as long as the receiver has not accepted. */
  readonly annulledAt: Date | null;
  readonly refusedAt: Date | null;
}

export type PortalSnapshot = ReadonlyMap<string, Annulment>;

/** An annulment was asked for, or answered by the receiver. */
export interface AnnulmentChanged {
  readonly kind: 'annulment';
  readonly accessKey: string;
  readonly annulment: Annulment;
}

/** Credit notes, debit notes and withholdings: the receiver must accept (Res. 25-14 as changed by 25-17). */
const NEEDS_ACCEPTANCE: ReadonlySet<string> = new Set(['04', '05', '07']);
/** Last day of the month after the issue date on which a document can be annulled; on a day off, the next business day. */
const LAST_DAY = 7;
const BUSINESS_DAYS_TO_ACCEPT = 5;

/**
 * The SRI's portal, where people annul documents: no web service does. An
 * annulment that took effect cannot be taken back: there is no act for it.
 */
export class Portal {
  private annulments = new Map<string, Annulment>();

  /** @param note is told every change before it is made */
  constructor(private readonly note: (change: AnnulmentChanged) => void = () => undefined) {}

  /** State of a document's annulment at an instant. */
  state(accessKey: string, now: Date): AnnulmentState {
    const annulment = this.annulments.get(accessKey);
    if (!annulment || annulment.requestedAt > now) return 'none';
    if (annulment.annulledAt !== null) return annulment.annulledAt <= now ? 'annulled' : 'pending';
    if (annulment.refusedAt !== null && annulment.refusedAt <= now) return 'none';
    return annulment.acceptBefore !== null && now < annulment.acceptBefore ? 'pending' : 'none';
  }

  /**
   * The issuer asks for the annulment.
   *
   * @param document the authorised document, or null when there is none under the key
   */
  annul(accessKey: string, document: StoredDocument | null, now: Date, holidays: readonly string[]): PortalAnswer {
    const refusal = this.refusal(accessKey, document, now, holidays);
    if (refusal !== null || document === null) return { done: false, reason: refusal ?? 'not_authorized' };
    const { documentType, foreignReceiver } = document.facts;
    if (!NEEDS_ACCEPTANCE.has(documentType) || foreignReceiver) {
      this.put(accessKey, { requestedAt: now, acceptBefore: null, annulledAt: now, refusedAt: null });
      return { done: true, state: 'annulled', acceptBefore: null };
    }
    const lastDay = addBusinessDays(guayaquilDayNumber(now), BUSINESS_DAYS_TO_ACCEPT, holidays);
    const acceptBefore = startOfDay(lastDay + 1);
    this.put(accessKey, { requestedAt: now, acceptBefore, annulledAt: null, refusedAt: null });
    return { done: true, state: 'pending', acceptBefore };
  }

  /** The receiver accepts or refuses; possible only while he is asked. */
  answer(accessKey: string, accepts: boolean, now: Date): PortalAnswer {
    const annulment = this.annulments.get(accessKey);
    if (!annulment || annulment.annulledAt !== null || this.state(accessKey, now) !== 'pending') {
      return { done: false, reason: 'nothing_to_accept' };
    }
    this.put(accessKey, accepts ? { ...annulment, annulledAt: now } : { ...annulment, refusedAt: now });
    return { done: true, state: accepts ? 'annulled' : 'none', acceptBefore: null };
  }

  /** An annulment that people are going to make as soon as the document is authorised, with the receiver's answer. */
  schedule(
    accessKey: string,
    document: StoredDocument,
    plan: { readonly receiver: 'accepts' | 'refuses' | 'silent'; readonly afterMs: number },
    holidays: readonly string[],
  ): void {
    const { decidedAt } = document;
    const asked = this.annul(accessKey, document, decidedAt, holidays);
    if (asked.done && asked.state === 'pending' && plan.receiver !== 'silent') {
      this.answer(accessKey, plan.receiver === 'accepts', new Date(decidedAt.getTime() + plan.afterMs));
    }
  }

  /** Makes a change that was noted. */
  apply({ accessKey, annulment }: AnnulmentChanged): void {
    this.annulments.set(accessKey, annulment);
  }

  snapshot(): PortalSnapshot {
    return new Map(this.annulments);
  }

  restore(snapshot: PortalSnapshot): void {
    this.annulments = new Map(snapshot);
  }

  private put(accessKey: string, annulment: Annulment): void {
    const change: AnnulmentChanged = { kind: 'annulment', accessKey, annulment };
    this.note(change);
    this.apply(change);
  }

  private refusal(
    accessKey: string,
    document: StoredDocument | null,
    now: Date,
    holidays: readonly string[],
  ): PortalRefusal | null {
    if (document === null) return 'not_authorized';
    const state = this.state(accessKey, now);
    if (state === 'annulled') return 'already_annulled';
    if (state === 'pending') return 'already_requested';
    const { finalConsumer, issueDay, withholdsIsd } = document.facts;
    if (finalConsumer) return 'final_consumer';
    if (withholdsIsd) return null;
    if (issueDay === null) return 'deadline_passed';
    const lastDay = businessDayFrom(dayOfNextMonth(issueDay, LAST_DAY), holidays);
    return guayaquilDayNumber(now) > lastDay ? 'deadline_passed' : null;
  }
}
