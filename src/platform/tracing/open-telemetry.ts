import { hostname } from 'node:os';
import { type Context, ROOT_CONTEXT, type Span, type SpanContext, SpanKind, type SpanOptions, SpanStatusCode, trace, TraceFlags, type Tracer } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode, parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler, AlwaysOnSampler, BatchSpanProcessor, type IdGenerator, ParentBasedSampler, RandomIdGenerator, type ReadableSpan, type Sampler, SamplingDecision, type SpanExporter,
  TraceIdRatioBasedSampler, TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Settings } from '../../config/settings.js';
import { documentTrace, type DocumentTrace } from './document-trace.js';
import type { Attributes, NewSpan, OpenSpan, Recorder } from './spans.js';

// The only file that knows OpenTelemetry. It is loaded when tracing is asked for, and not before.

export type TracingSettings = Pick<Settings, 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_HEADERS' | 'OTEL_RESOURCE_ATTRIBUTES' | 'OTEL_SERVICE_NAME' | 'OTEL_TRACES_SAMPLER' | 'OTEL_TRACES_SAMPLER_ARG' | 'APP_ENV'>;

/** Also how long a stopping process may wait for a collector that does not answer. */
const EXPORT_TIMEOUT_MS = 5_000;
const EXPORT_EVERY_MS = 2_000;
const LONGEST_VALUE = 256;

const KINDS = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT } as const;

/** Ids by chance, unless the next span is the first one of a document. */
class Ids implements IdGenerator {
  private readonly random = new RandomIdGenerator();
  private next: DocumentTrace | null = null;

  /** Begins the span that has these ids. */
  having<T>(ids: DocumentTrace, begin: () => T): T {
    this.next = ids;
    try {
      return begin();
    } finally {
      this.next = null;
    }
  }

  generateTraceId(): string {
    return this.next?.traceId ?? this.random.generateTraceId();
  }

  generateSpanId(): string {
    return this.next?.spanId ?? this.random.generateSpanId();
  }
}

/** Tells of spans that nobody took, and is otherwise content: the work does not depend on it. */
class Patient implements SpanExporter {
  constructor(
    private readonly exporter: SpanExporter,
    private readonly lost: (spans: number, error: unknown) => void,
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.exporter.export(spans, ({ code, error }) => {
      if (code !== ExportResultCode.SUCCESS) this.lost(spans.length, error);
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }
}

class RecordedSpan implements OpenSpan {
  readonly traceId: string;
  readonly spanId: string;

  constructor(
    readonly span: Span,
    readonly startedAt: number,
    private readonly contextOf: (ids: DocumentTrace) => SpanContext,
  ) {
    ({ traceId: this.traceId, spanId: this.spanId } = span.spanContext());
  }

  set(attributes: Attributes): void {
    this.span.setAttributes(known(attributes));
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  linkDocument(documentId: string): void {
    const ids = documentTrace(documentId);
    if (ids !== null && ids.traceId !== this.traceId) this.span.addLink({ context: this.contextOf(ids) });
  }

  fail(reason: string): void {
    this.span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', reason);
  }

  end(): void {
    this.span.end();
  }
}

/** Records spans with OpenTelemetry's SDK and sends them over OTLP/HTTP, as JSON. */
export class OpenTelemetryRecorder implements Recorder {
  private readonly ids = new Ids();
  private readonly documents: Sampler;
  private readonly provider: TracerProvider;
  private readonly tracer: Tracer;

  /** @param exporter takes the spans that end */
  constructor(settings: TracingSettings, service: { readonly kind: string; readonly version: string }, exporter: SpanExporter) {
    const root = rootSampler(settings);
    this.documents = root;
    this.provider = new TracerProvider({
      resource: resourceFromAttributes({
        'service.name': settings.OTEL_SERVICE_NAME ?? `sello-${service.kind}`,
        'service.version': service.version,
        'deployment.environment.name': settings.APP_ENV,
        'host.name': hostname(),
        'process.pid': process.pid,
        ...Object.fromEntries(settings.OTEL_RESOURCE_ATTRIBUTES),
      }),
      sampler: settings.OTEL_TRACES_SAMPLER.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root,
      idGenerator: this.ids,
      spanLimits: { attributeValueLengthLimit: LONGEST_VALUE },
      spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: EXPORT_EVERY_MS, exportTimeoutMillis: EXPORT_TIMEOUT_MS * 2 })],
    });
    this.tracer = this.provider.getTracer('sello', service.version);
  }

  begin(span: NewSpan, under: OpenSpan | undefined): OpenSpan {
    const around = under instanceof RecordedSpan ? under : null;
    const { parent } = span;
    const ids = parent !== undefined && 'documentId' in parent ? documentTrace(parent.documentId) : null;
    if (parent !== undefined && ids !== null) return this.ofDocument(span, ids, around, 'begins' in parent && parent.begins === true);
    const within = parent !== undefined && 'traceparent' in parent ? calledBy(parent.traceparent) : around === null ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, around.span);
    return this.opened(this.tracer.startSpan(span.name, optionsOf(span), within));
  }

  /** Sends what has ended and takes no more. */
  close(): Promise<void> {
    return this.provider.shutdown();
  }

  /** The span around it belongs to another trace: the two are linked, and the document's first span starts when that one began. */
  private ofDocument(span: NewSpan, ids: DocumentTrace, around: RecordedSpan | null, begins: boolean): RecordedSpan {
    const options = { ...optionsOf(span), links: around === null || around.traceId === ids.traceId ? [] : [{ context: around.span.spanContext() }] };
    if (!begins) return this.opened(this.tracer.startSpan(span.name, options, trace.setSpanContext(ROOT_CONTEXT, { ...this.contextOf(ids), isRemote: true })));
    const first = { ...options, root: true, ...(around === null ? {} : { startTime: around.startedAt }) };
    return this.opened(this.ids.having(ids, () => this.tracer.startSpan(span.name, first, ROOT_CONTEXT)));
  }

  private opened(span: Span): RecordedSpan {
    return new RecordedSpan(span, performance.timeOrigin + performance.now(), (ids) => this.contextOf(ids));
  }

  /** Whether a document is traced follows from its id too, so that all processes agree. */
  private contextOf(ids: DocumentTrace): SpanContext {
    const { decision } = this.documents.shouldSample(ROOT_CONTEXT, ids.traceId, '', SpanKind.INTERNAL, {}, []);
    return { ...ids, traceFlags: decision === SamplingDecision.RECORD_AND_SAMPLED ? TraceFlags.SAMPLED : TraceFlags.NONE };
  }
}

/** Below the caller's own span, where the header names one. */
function calledBy(traceparent: string | undefined): Context {
  const caller = traceparent === undefined ? null : parseTraceParent(traceparent);
  return caller === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true });
}

const optionsOf = ({ kind, attributes }: NewSpan): SpanOptions => ({ kind: kind === undefined ? SpanKind.INTERNAL : KINDS[kind], attributes: known(attributes ?? {}) });

function rootSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share }: TracingSettings): Sampler {
  if (name.endsWith('always_on')) return new AlwaysOnSampler();
  return name.endsWith('always_off') ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(share);
}

const known = (attributes: Attributes): Record<string, string | number | boolean | string[]> =>
  Object.fromEntries(Object.entries(attributes).filter((entry): entry is [string, string | number | boolean | string[]] => entry[1] !== undefined));

/** @param lost called with the number of spans that no collector took */
export function otlpExporter(endpoint: string, headers: Settings['OTEL_EXPORTER_OTLP_HEADERS'], lost: (spans: number, error: unknown) => void): SpanExporter {
  return new Patient(new OTLPTraceExporter({ url: new URL('v1/traces', endpoint.endsWith('/') ? endpoint : `${endpoint}/`).href, headers: Object.fromEntries(headers), timeoutMillis: EXPORT_TIMEOUT_MS }), lost);
}
