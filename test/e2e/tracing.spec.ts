import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Mailbox } from '../../src/local/mailbox.js';
import { entryOf } from '../../src/local/parts.js';
import type { ServiceProcess } from '../../src/local/service-process.js';
import { documentTrace } from '../../src/platform/tracing/document-trace.js';
import { Business } from '../support/business.js';
import { type CollectedSpan, Collector } from '../support/collector.js';
import { fromSetup } from '../support/database.js';
import { Sink } from '../support/sink.js';
import { type Stack, startStack } from '../support/stack.js';

const SERVER = 2;
const CLIENT = 3;
const CONSUMER = 5;
const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const TRACEPARENT = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
const CREDENTIAL = 'canary-of-the-collector';

/** Program that runs ahead of another one. */
const ahead = (program: string): string => `--import=data:text/javascript,${encodeURIComponent(program)}`;

describe('traces', () => {
  let stack: Stack;
  let collector: Collector;
  let sink: Sink;
  let mailbox: Mailbox;
  let business: Business;
  let worker: ServiceProcess;
  const folder = mkdtempSync(join(tmpdir(), 'sello-tracing-'));
  /** Told to stop, a process writes down which packages of OpenTelemetry it has loaded. */
  const told = (name: string): Record<string, string> => ({
    NODE_OPTIONS: ahead(`
      import { writeFileSync } from 'node:fs';
      import { createRequire } from 'node:module';
      const { cache } = createRequire('${process.cwd()}/');
      const packages = () => [...new Set(Object.keys(cache).map((file) => /node_modules.(@opentelemetry.[^/]+)/.exec(file)?.[1]).filter(Boolean))];
      process.once('SIGTERM', () => writeFileSync('${join(folder, name)}', JSON.stringify(packages())));`),
  });
  const loaded = (name: string): string[] => JSON.parse(readFileSync(join(folder, name), 'utf8')) as string[];

  beforeAll(async () => {
    [collector, sink, mailbox] = await Promise.all([Collector.start(), Sink.start(), Mailbox.start()]);
    stack = await startStack({
      api: 0,
      workers: 0,
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${CREDENTIAL}`,
        OTEL_RESOURCE_ATTRIBUTES: 'k8s.pod.name=sello-0',
        SMTP_URL: mailbox.smtpUrl,
        MAIL_INTERVAL_MS: '100',
      },
    });
    [, { worker }] = await Promise.all([stack.startApi(told('traced')), stack.startWorker()]);
    business = await Business.open(stack);
    await business.call('POST', '/webhooks', { url: `${sink.url}/ok?token=canary-of-the-address` });
  });
  afterAll(async () => {
    await stack.stop();
    await Promise.all([collector.stop(), sink.stop(), mailbox.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  describe('of a document', () => {
    let documentId: string;
    let accessKey: string;
    let first: { traceId: string; spanId: string };
    const one = (spans: readonly CollectedSpan[], name: string): CollectedSpan => {
      const found = spans.filter((span) => span.name === name);
      expect([name, found.length]).toEqual([name, 1]);
      return found[0]!;
    };

    beforeAll(async () => {
      // Refused, and traced all the same: what stood in the query is in no trace.
      expect((await business.call('GET', '/documents?note=canary-of-the-query')).status).toBe(422);
      const answer = await business.call('POST', '/documents', business.invoice(), { traceparent: TRACEPARENT, 'x-request-id': 'call-4711' });
      expect(answer.status).toBe(202);
      ({ document_id: documentId, access_key: accessKey } = answer.body as { document_id: string; access_key: string });
      first = documentTrace(documentId)!;
      expect((await business.settled(documentId)).status).toBe('AUTHORIZED');
      const names = (traceId: string): string[] => collector.trace(traceId).map(({ name }) => name);
      const hasEnded = (): boolean => collector.trace(first.traceId).some(({ name, attributes }) => name === 'saga authorize' && attributes['sello.status'] === 'AUTHORIZED');
      await collector.until(() =>
        hasEnded() && ['document accepted', 'mail', 'webhook'].every((name) => names(first.traceId).includes(name)) && ['POST /documents', 'IssueDocument'].every((name) => names(CALLER.traceId).includes(name)));
    });

    it('begin with the call, below the span of whoever called', () => {
      const spans = collector.trace(CALLER.traceId);
      const call = one(spans, 'POST /documents');
      expect(call).toMatchObject({ kind: SERVER, parentSpanId: CALLER.spanId, links: [first], resource: { 'service.name': 'sello-api', 'k8s.pod.name': 'sello-0' } });
      expect(call.attributes).toEqual({
        'http.request.method': 'POST', 'http.route': '/documents', 'http.response.status_code': 202,
        'sello.request_id': 'call-4711', 'sello.tenant_id': business.tenantId, 'sello.document_id': documentId,
      });
      const command = one(spans, 'IssueDocument');
      expect(command.parentSpanId).toBe(call.spanId);
      const accepted = one(collector.trace(first.traceId), 'document accepted');
      expect(accepted.spanId).toBe(first.spanId);
      expect(accepted.parentSpanId ?? '').toBe('');
      expect(accepted.links).toMatchObject([{ traceId: CALLER.traceId, spanId: command.spanId }]);
      expect(accepted.resource['service.name']).toBe('sello-api');
    });

    it('go on in the worker, step by step, with every question to the SRI, to the authorization', () => {
      const spans = collector.trace(first.traceId);
      const steps = spans.filter(({ name }) => name.startsWith('saga '));
      for (const step of steps) {
        expect(step).toMatchObject({ kind: CONSUMER, parentSpanId: first.spanId, resource: { 'service.name': 'sello-worker' } });
        expect(step.attributes).toMatchObject({ 'sello.tenant_id': business.tenantId, 'sello.document_id': documentId, 'sello.document_type': '01' });
      }
      expect(steps.map(({ name }) => name)).toEqual(['saga prepare', 'saga submit', ...steps.slice(2).map(() => 'saga authorize')]);
      expect(steps.at(-1)!.attributes).toMatchObject({ 'sello.step': 'authorize', 'sello.status': 'AUTHORIZED' });
      const sent = one(spans, 'SRI reception');
      expect(sent).toMatchObject({ kind: CLIENT, parentSpanId: one(spans, 'saga submit').spanId, attributes: { 'sello.sri.outcome': 'answered', 'sello.sri.states': ['RECIBIDA'] } });
      const asked = spans.filter(({ name }) => name === 'SRI authorization').at(-1)!;
      expect(asked).toMatchObject({ parentSpanId: steps.at(-1)!.spanId, attributes: { 'sello.sri.states': ['AUTORIZADO'] } });
    });

    it('end with its mails and webhooks', () => {
      const spans = collector.trace(first.traceId);
      expect(one(spans, 'mail')).toMatchObject({ kind: CLIENT, parentSpanId: first.spanId, attributes: { 'sello.outcome': 'taken', 'sello.tenant_id': business.tenantId } });
      const told = spans.filter(({ name }) => name === 'webhook');
      expect(told.map(({ attributes }) => attributes['sello.event_type'])).toContain('document.authorized');
      for (const { attributes, parentSpanId, status } of told) expect([attributes['sello.outcome'], attributes['http.response.status_code'], parentSpanId, status.code]).toEqual(['delivered', 204, first.spanId, 0]);
    });

    it('are found from the log', () => {
      const lines = readFileSync(stack.apis[0]!.logFile, 'utf8').split('\n').filter((line) => line.includes('"call-4711"'));
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) expect(JSON.parse(line)).toMatchObject({ trace_id: CALLER.traceId, request_id: 'call-4711' });
    });

    it('hold no secret, nobody’s data and nothing that callers write', () => {
      const all = collector.bodies.join('\n');
      const said = [business.apiKey, CREDENTIAL, 'canary', accessKey, business.ruc, 'María', 'maria@example.com', '1710034065', 'consultoría', 'Comercial', sink.url, mailbox.smtpUrl];
      expect(said.filter((text) => all.includes(text))).toEqual([]);
      expect(new Set(collector.headers.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${CREDENTIAL}`]));
    });
  });

  it('tell of refusals and take no nonsense for a caller', async () => {
    const bad = '00-zzz-00f067aa0ba902b7-01';
    expect((await business.call('GET', `/documents/${CALLER.traceId}`, undefined, { traceparent: bad, 'x-request-id': 'call-refused' })).status).toBeGreaterThanOrEqual(400);
    expect((await business.call('GET', '/health/live')).status).toBe(200);
    const mine = (): CollectedSpan | undefined => collector.spans.find(({ attributes }) => attributes['sello.request_id'] === 'call-refused');
    await collector.until(() => mine() !== undefined);
    expect(mine()!.parentSpanId ?? '').toBe('');
    expect(mine()!.links).toEqual([]);
    expect(collector.spans.filter(({ name }) => name.includes('/health/'))).toEqual([]);
  });

  it('that nobody takes harm no document, and are told of once', async () => {
    collector.status = 500;
    const { document_id } = await business.accepted();
    expect((await business.settled(document_id)).status).toBe('AUTHORIZED');
    const ofApi = (): number => collector.refused.filter((body) => body.includes('sello-api')).length;
    await collector.until(() => ofApi() >= 1);
    const refusedBefore = ofApi();
    expect((await business.call('GET', '/documents')).status).toBe(200);
    await collector.until(() => ofApi() > refusedBefore);
    collector.status = 200;
    const lines = readFileSync(stack.apis[0]!.logFile, 'utf8').split('\n').filter((line) => line.includes('traces were not taken'));
    expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(['warn']);
    expect(lines.join()).not.toContain(CREDENTIAL);
  });

  it('let a process stop by itself although the collector is silent', async () => {
    const before = collector.refused.length;
    collector.status = null;
    const { document_id } = await business.accepted();
    expect((await business.settled(document_id)).status).toBe('AUTHORIZED');
    worker.kill('SIGTERM');
    // Not by its own last resort, which is an exit code.
    expect(await worker.ended).toBe('signal SIGTERM');
    collector.status = 200;
    expect(collector.refused.slice(before).some((body) => body.includes('sello-worker'))).toBe(true);
  });

  it('leave a stopping process to the last, whose packages nobody loads who does not trace', async () => {
    await stack.startApi({ OTEL_EXPORTER_OTLP_ENDPOINT: '', ...told('untraced') });
    const [traced, untraced] = stack.apiUrls as [string, string];
    const before = collector.spans.length;
    expect((await business.call('GET', '/documents', undefined, { 'x-request-id': 'call-untraced' }, untraced)).status).toBe(200);
    expect((await business.call('GET', '/documents', undefined, { 'x-request-id': 'call-last' }, traced)).status).toBe(200);
    await Promise.all([stack.killApi(0, 'SIGTERM'), stack.killApi(1, 'SIGTERM')]);
    const ids = collector.spans.slice(before).map(({ attributes }) => attributes['sello.request_id']);
    expect(ids).toContain('call-last');
    expect(ids).not.toContain('call-untraced');
    expect(loaded('traced')).toEqual(expect.arrayContaining(['@opentelemetry/sdk-trace', '@opentelemetry/exporter-trace-otlp-http']));
    // The library of the metrics loads the interface alone.
    expect(loaded('untraced')).toEqual(['@opentelemetry/api']);
  });

  it('are not silently missing where their packages are', async () => {
    const without = ahead(`
      import Module from 'node:module';
      const resolve = Module._resolveFilename;
      Module._resolveFilename = (name, ...rest) => {
        if (name === '@opentelemetry/sdk-trace') throw Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' });
        return resolve(name, ...rest);
      };`);
    const env = { NODE_OPTIONS: without, PATH: process.env['PATH'], APP_ENV: 'sandbox', DATABASE_URL: stack.databaseUrl, REDIS_URL: stack.redisUrl, MASTER_KEY: fromSetup('TEST_MASTER_KEY'), OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const ended = await new Promise<{ code: unknown; output: string }>((resolve) => {
      execFile(process.execPath, [entryOf('worker')], { env, timeout: 100_000 }, (error, stdout, stderr) => resolve({ code: error?.code, output: stdout + stderr }));
    });
    expect(ended.output).toMatch(/OTEL_EXPORTER_OTLP_ENDPOINT: traces need the packages @opentelemetry\/\* .* not installed/);
    expect(ended.code).toBe(1);
  });
});
