import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { describeWhere } from '../../test/support/describe-where.js';
import { type MetricDeclaration, METRICS, RUNTIME_METRICS } from '../platform/observability/metrics.js';

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const ALERTS_FILE = 'docker/prometheus/alerts.yaml';
const CASES_FILE = 'docker/prometheus/alerts.test.yaml';
const DECLARED = new Map<string, MetricDeclaration>(Object.values<MetricDeclaration>(METRICS).map((metric) => [metric.name, metric]));
/** Labels that Prometheus adds by itself. */
const ADDED = ['instance', 'job', 'le'];
/** Metrics about the service that come from Prometheus and the blackbox exporter. */
const OF_OTHERS = ['up', 'probe_success'];

const alerts = (parse(readFileSync(ALERTS_FILE, 'utf8')) as { groups: { rules: Alert[] }[] }).groups.flatMap(({ rules }) => rules);
const { panels } = JSON.parse(readFileSync('docker/grafana/sello.json', 'utf8')) as {
  panels: { title: string; type: string; gridPos: { x: number; w: number }; targets?: { expr: string }[] }[];
};
const drawn = panels.flatMap(({ title, targets }) => (targets ?? []).map(({ expr }) => [title, expr] as const));

/** The declared metric that a name in an expression stands for; null: there is none. */
function declarationOf(name: string): { readonly labels: readonly string[] } | null {
  const exact = DECLARED.get(name);
  if (OF_OTHERS.includes(name)) return { labels: [] };
  // A histogram has no samples under its bare name.
  if (exact !== undefined) return exact.type === 'histogram' ? null : exact;
  const bare = name.replace(/_(bucket|sum|count)$/, '');
  const histogram = DECLARED.get(bare);
  if (histogram?.type === 'histogram') return histogram;
  return name in RUNTIME_METRICS || bare in RUNTIME_METRICS ? { labels: [] } : null;
}

/** What an expression asks for that nobody exposes. */
function unknownIn(expression: string): string[] {
  const used = [...expression.matchAll(/\b((?:sello|process|nodejs)_\w+|up|probe_success)\b(?:\{([^}]*)\})?/g)].map(([, name = '', selector = '']) => ({
    name,
    labels: [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  }));
  const told = used.map(({ name }) => declarationOf(name));
  const known = new Set([...ADDED, ...told.flatMap((one) => one?.labels ?? [])]);
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(',').map((label) => label.trim()));
  return [
    ...used.filter((_one, i) => told[i] === null).map(({ name }) => name),
    ...used.flatMap(({ name, labels }, i) => labels.filter((label) => ![...ADDED, ...(told[i]?.labels ?? [])].includes(label)).map((label) => `${name}{${label}}`)),
    ...grouped.filter((label) => !known.has(label)).map((label) => `by (${label})`),
    ...(used.length === 0 ? ['no metric'] : []),
  ];
}

/** Metrics of every program on Node.js that an expression takes of all of them. */
const ofAnyProgram = (expression: string): string[] => [...expression.matchAll(/\b(?:process|nodejs)_\w+\b(?!\{job=~"sello\.\*")/g)].map(([name]) => name);

const isBalanced = (expression: string): boolean => ['()', '{}', '[]'].every(([open = '', close = '']) => expression.split(open).length === expression.split(close).length);

describe('alerts and dashboard', () => {
  it('know which expressions ask for what nobody tells', () => {
    expect(unknownIn('max by (kind) (sello_due_work_age_seconds{kind="mail"}) + nodejs_eventloop_lag_p99_seconds')).toEqual([]);
    expect(unknownIn('sello_made_up_total')).toEqual(['sello_made_up_total']);
    expect(unknownIn('up{process="api"} + absent(upp)')).toEqual(['up{process}']);
    expect(unknownIn('sum(sello_saga_step_duration_seconds)')).toEqual(['sello_saga_step_duration_seconds']);
    expect(unknownIn('sum by (tenant) (sello_mails_total{kid="x"})')).toEqual(['sello_mails_total{kid}', 'by (tenant)']);
    expect(ofAnyProgram('rate(process_cpu_seconds_total[5m]) + nodejs_eventloop_lag_p99_seconds{job=~"sello.*"}')).toEqual(['process_cpu_seconds_total']);
  });

  it.each(alerts.map((alert) => [alert.alert, alert] as const))('%s asks for what is told and says what to do next', (_name, { expr, labels, annotations }) => {
    expect([...unknownIn(expr), ...ofAnyProgram(expr)]).toEqual([]);
    expect(isBalanced(expr)).toBe(true);
    expect(['page', 'ticket']).toContain(labels['severity']);
    expect(annotations.summary.length).toBeGreaterThan(10);
    const anchor = /[.;] [Ss]ee docs\/operating\.md#([\w-]+)\.$/.exec(annotations.runbook)?.[1];
    const headings = [...readFileSync('docs/operating.md', 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase().replace(/[^\w -]/g, '').replaceAll(' ', '-'));
    expect(headings).toContain(anchor);
  });

  it('notice that no process of a kind is left, and that none is ready', () => {
    const paged = alerts.filter(({ labels }) => labels['severity'] === 'page').map(({ expr }) => expr);
    // For the API a series with its name, for workers have sello_build_info too. For workers a metric that they alone have.
    expect(paged).toEqual(expect.arrayContaining(['absent(sello_build_info{process="api"})', 'absent(sello_due_work_age_seconds)']));
    expect([DECLARED.get('sello_build_info')!.labels, DECLARED.get('sello_due_work_age_seconds')!.of]).toEqual([expect.arrayContaining(['process']), 'worker']);
    const probe = paged.map((expr) => /^probe_success\{job="([\w-]+)"\} == 0$/.exec(expr)?.[1]).find((job) => job !== undefined);
    expect(readFileSync('docs/operating.md', 'utf8')).toContain(`- job_name: ${probe} `);
  });

  it('names each alert once', () => {
    expect(alerts.length).toBeGreaterThan(10);
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  });

  it.each(drawn)('%s draws what is told', (_title, expr) => {
    expect([...unknownIn(expr), ...ofAnyProgram(expr)]).toEqual([]);
    expect(isBalanced(expr)).toBe(true);
  });

  it('leaves no metric out of sight', () => {
    const all = [...drawn.map(([, expr]) => expr), ...alerts.map(({ expr, annotations }) => `${expr} ${annotations.runbook}`)].join('\n');
    expect([...DECLARED.keys()].filter((name) => !all.includes(name))).toEqual([]);
    for (const panel of panels) expect(panel.gridPos.x + panel.gridPos.w).toBeLessThanOrEqual(24);
  });

  it('fire where they should and nowhere else: each has its case', () => {
    const cases = readFileSync(CASES_FILE, 'utf8');
    // Further labels stand in what is expected alone: a question for one alert ends here.
    expect(alerts.map(({ alert }) => alert).filter((name) => !cases.includes(`ALERTS{alertname="${name}", alertstate="firing", `))).toEqual([]);
    const series = (parse(cases) as { tests: { input_series: { series: string }[] }[] }).tests.flatMap(({ input_series }) => input_series.map((one) => one.series));
    expect(series.flatMap(unknownIn)).toEqual([]);
  });

  // What it asks for is checked above in any case; here Prometheus itself reads it and plays the cases.
  const promtool = spawnSync('promtool', ['--version']).error === undefined;
  describeWhere(promtool ? null : 'promtool is not installed', 'Prometheus', () => {
    it.each([
      ['check', ALERTS_FILE],
      ['test', CASES_FILE],
    ])('can %s them', (act, file) => {
      const { status, stdout, stderr } = spawnSync('promtool', [act, 'rules', file], { encoding: 'utf8' });
      expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
    });
  });
});
