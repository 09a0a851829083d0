import { AsyncLocalStorage } from 'node:async_hooks';
import { DomainError } from '../../shared/domain-error.js';

/** Ids, kinds and counts: never what a person, a secret or a document says. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** The parent of a span: a caller's `traceparent`, or a document's own trace, which it may begin. Without either: the span under way. */
export type Parent = { readonly traceparent: string | undefined } | { readonly documentId: string; readonly begins?: boolean };

export interface NewSpan {
  readonly name: string;
  /** Who asks whom: we are asked, take work from a queue, ask somebody; default: among ourselves. */
  readonly kind?: 'server' | 'consumer' | 'client';
  readonly parent?: Parent;
  readonly attributes?: Attributes;
}

/** A span under way. */
export interface OpenSpan {
  readonly traceId: string;
  readonly spanId: string;
  set(attributes: Attributes): void;
  rename(name: string): void;
  /** Leads from here to a document's trace. */
  linkDocument(documentId: string): void;
  /** Marks the span as failed, by the name of what went wrong. */
  fail(reason: string): void;
  end(): void;
}

/** Begins spans; those that end go where traces are kept. */
export interface Recorder {
  begin(span: NewSpan, under: OpenSpan | undefined): OpenSpan;
}

let recorder: Recorder | null = null;
const current = new AsyncLocalStorage<OpenSpan>();

/** One recorder for the process; null: nothing is recorded, which costs next to nothing. */
export function recordSpans(by: Recorder | null): void {
  recorder = by;
}

/** True while spans are recorded. */
export const isTracing = (): boolean => recorder !== null;

/** A span that the caller ends itself; null while nothing is recorded. */
export const beginSpan = (span: NewSpan): OpenSpan | null => recorder?.begin(span, current.getStore()) ?? null;

/** Runs work within a span that is under way already. */
export const withinSpan = <T>(span: OpenSpan, work: () => T): T => current.run(span, work);

/** Runs work as a span. An error that it throws marks the span; a refusal by our rules only names itself. */
export function traced<T>(span: NewSpan, work: () => Promise<T>): Promise<T> {
  const open = beginSpan(span);
  return open === null ? work() : recorded(open, work);
}

async function recorded<T>(open: OpenSpan, work: () => Promise<T>): Promise<T> {
  try {
    return await current.run(open, work);
  } catch (error) {
    if (error instanceof DomainError) open.set({ 'sello.error_code': error.code });
    else open.fail(error instanceof Error ? error.constructor.name : 'unknown');
    throw error;
  } finally {
    open.end();
  }
}

/** As `traced`, but only within a span: a trace of this work alone would say nothing. */
export const tracedWithin = <T>(span: NewSpan, work: () => Promise<T>): Promise<T> => (current.getStore() === undefined ? work() : traced(span, work));

/** Adds to the span under way. */
export function noteSpan(attributes: Attributes): void {
  current.getStore()?.set(attributes);
}

/** Marks the span under way as failed, by the name of what went wrong. */
export function failSpan(reason: string): void {
  current.getStore()?.fail(reason);
}

/** What a line of the log names, so that the trace is found from it. */
export function traceFields(): { readonly trace_id?: string; readonly span_id?: string } {
  const span = current.getStore();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}
