/** The two ways of not knowing. */
export type Unanswered =
  /** Surely not delivered: nothing happened at the SRI. */
  | { readonly kind: 'not_delivered'; readonly reason: string }
  /** Whether the SRI acted is unknown; never a refusal, never an acceptance. */
  | {
      readonly kind: 'no_evidence';
      readonly reason: string;
      /** Start of what came back, cleaned; empty when nothing did. */
      readonly excerpt: string;
      /** Seconds the service asked to wait (`Retry-After`), when it did. */
      readonly retryAfterSeconds?: number;
      /** Codes of the messages that came with it: they say why the question was refused. */
      readonly codes?: readonly string[];
      /** The service answered this question, in a way that proves nothing: it is not away, and may never say anything else. */
      readonly isHeard?: boolean;
      /** Something else answered in the service's place, as a proxy does while it is away. */
      readonly isAway?: boolean;
    };

/** Whether nothing is known of what was asked. */
export const isUnanswered = (answer: { readonly kind: string }): answer is Unanswered => answer.kind === 'not_delivered' || answer.kind === 'no_evidence';

/** Whether the service said something of what it was asked. */
export const isAnswered = <Answer extends { readonly kind: string }>(answer: Answer): answer is Exclude<Answer, Unanswered> => !isUnanswered(answer);

/** Whether the service is surely away, not only silent on this question. */
export const isAway = (answer: { readonly kind: string; readonly isAway?: boolean }): boolean => answer.kind === 'not_delivered' || answer.isAway === true;

/** Whether the service gave an answer, be it one that proves nothing. */
export const isHeard = (answer: { readonly kind: string; readonly isHeard?: boolean }): boolean =>
  answer.kind === 'no_evidence' ? answer.isHeard === true : answer.kind !== 'not_delivered';
