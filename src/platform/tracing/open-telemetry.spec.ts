import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { InMemorySpanExporter } from '@opentelemetry/sdk-trace';
import { DomainError } from '../../shared/domain-error.js';
import { readSettings } from '../../config/settings.js';
import { documentTrace, firstOfDocument, ofDocument } from './document-trace.js';
import { OpenTelemetryRecorder } from './open-telemetry.js';
import { beginSpan, noteSpan, recordSpans, traced, tracedWithin, traceFields, withinSpan } from './spans.js';

const settings = (env: Record<string, string> = {}) =>
  readSettings({ DATABASE_URL: 'postgres://x/', REDIS_URL: 'redis://x/', SRI_RECEPTION_URL: 'http://x/', SRI_AUTHORIZATION_URL: 'http://x/', ...env });

/** Keeps what it has when its process stops. */
class KeepingExporter extends InMemorySpanExporter {
  override shutdown(): Promise<void> {
    return Promise.resolve();
  }
}

/** Records as a process with these settings would; answers what was kept once it has stopped. */
function recording(env: Record<string, string> = {}) {
  const exporter = new KeepingExporter();
  const recorder = new OpenTelemetryRecorder(settings(env), { kind: 'worker', version: '1.2.3' }, exporter);
  recordSpans(recorder);
  return {
    kept: async () => {
      await recorder.close();
      return exporter.getFinishedSpans();
    },
  };
}

const document = () => ({ tenantId: randomUUID(), documentId: randomUUID() });

describe('spans', () => {
  afterEach(() => recordSpans(null));

  it('are nothing while nobody records', async () => {
    expect(beginSpan({ name: 'a' })).toBeNull();
    expect(await traced({ name: 'a' }, () => Promise.resolve(traceFields()))).toEqual({});
  });

  it.each(['parentbased_traceidratio', 'traceidratio'])('of a document are kept by all processes or by none (%s)', async (sampler) => {
    const env = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: '0.5' };
    const documents = Array.from({ length: 400 }, document);
    const api = recording(env);
    for (const one of documents) beginSpan(firstOfDocument(one, '01'))?.end();
    const begun = new Set((await api.kept()).map((span) => span.spanContext().traceId));
    const worker = recording(env);
    for (const one of documents) beginSpan(ofDocument('saga', one))?.end();
    const steps = await worker.kept();
    expect(new Set(steps.map((span) => span.spanContext().traceId))).toEqual(begun);
    expect(begun.size).toBeGreaterThan(120);
    expect(begun.size).toBeLessThan(280);
    for (const step of steps) expect(step.parentSpanContext).toMatchObject(documentTrace(step.attributes['sello.document_id'] as string)!);
  });

  it.each([
    ['parentbased_always_off', '01', 1],
    ['parentbased_always_on', '00', 0],
    ['always_on', '00', 1],
    ['always_off', '01', 0],
  ])('of a call heed its caller only when told to (%s, flags %s)', async (sampler, flags, count) => {
    const { kept } = recording({ OTEL_TRACES_SAMPLER: sampler });
    const traceparent = `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-${flags}`;
    beginSpan({ name: 'call', kind: 'server', parent: { traceparent } })?.end();
    expect((await kept()).map((span) => span.spanContext().traceId)).toEqual(Array.from({ length: count }, () => '4bf92f3577b34da6a3ce929d0e0e4736'));
  });

  it.each(['', 'nonsense', '00-00000000000000000000000000000000-00f067aa0ba902b7-01', 'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01'])('of a call begin anew below %j', async (traceparent) => {
    const { kept } = recording();
    beginSpan({ name: 'call', parent: { traceparent } })?.end();
    expect((await kept()).map((span) => [span.parentSpanContext, span.spanContext().traceId === '4bf92f3577b34da6a3ce929d0e0e4736'])).toEqual([[undefined, false]]);
  });

  it('nest, name what failed and say no more of it', async () => {
    const { kept } = recording();
    const failing = (error: Error) => traced({ name: error.name }, () => Promise.reject(error)).catch(() => undefined);
    const call = beginSpan({ name: 'call', kind: 'server' })!;
    await withinSpan(call, async () => {
      await failing(new TypeError('María paid 115.00'));
      await failing(new DomainError('INVALID_STATE'));
      await tracedWithin({ name: 'within' }, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        noteSpan({ 'sello.outcome': 'x'.repeat(1_000) });
        expect(traceFields().trace_id).toBe(call.traceId);
      });
    });
    await tracedWithin({ name: 'alone' }, () => Promise.resolve());
    call.end();
    const spans = await kept();
    expect(spans.map(({ name }) => name)).toEqual(['TypeError', 'DomainError', 'within', 'call']);
    expect(spans.slice(0, 3).map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([call.spanId, call.spanId, call.spanId]);
    expect(spans.map(({ status, attributes }) => [status, attributes])).toEqual([
      [{ code: 2 }, { 'error.type': 'TypeError' }],
      [{ code: 0 }, { 'sello.error_code': 'INVALID_STATE' }],
      [{ code: 0 }, { 'sello.outcome': 'x'.repeat(256) }],
      [{ code: 0 }, {}],
    ]);
    expect(JSON.stringify(spans.map(({ events }) => events))).not.toContain('María');
  });

  it('tell of which process they are', async () => {
    const { kept } = recording({ OTEL_SERVICE_NAME: 'sello-blue', OTEL_RESOURCE_ATTRIBUTES: 'k8s.pod.name=sello-0, example.com/team=comercio%20exterior' });
    beginSpan({ name: 'a' })?.end();
    const [span] = await kept();
    expect(span!.resource.attributes).toEqual({ 'service.name': 'sello-blue', 'service.version': '1.2.3', 'deployment.environment.name': 'local', 'k8s.pod.name': 'sello-0', 'example.com/team': 'comercio exterior', 'host.name': hostname(), 'process.pid': process.pid });
  });
});

describe('settings of traces', () => {
  it.each([
    ['OTEL_EXPORTER_OTLP_HEADERS', 'canary'], ['OTEL_EXPORTER_OTLP_HEADERS', 'a/canary=b'], ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%zz'], ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b%0d%0acanary'], ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://canary:4317'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'], ['OTEL_TRACES_SAMPLER', 'jaeger_remote'], ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ])('%s is not %s', (name, value) => {
    expect(() => settings({ [name]: value })).toThrow(name);
    expect(() => settings({ [name]: value })).not.toThrow('canary');
  });
});
