import type { MetricDeclaration } from '../platform/observability/metrics.js';
import { generatedFrom, table } from './markdown.js';

/** `docs/metrics.md`: what a process shows on METRICS_PORT. */
export function metricsPage(metrics: readonly MetricDeclaration[], runtime: Readonly<Record<string, string>>): string {
  const labels = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
  return [
    generatedFrom('Metrics', '`src/platform/observability/metrics.ts`'),
    'Each API process and worker tells these at `/metrics` on `METRICS_PORT`, in the format of Prometheus. Names and labels are',
    'stable. No label names a tenant, a taxpayer, a document or a person, so that their number has a bound. A histogram `x` is',
    '`x_bucket`, `x_sum` and `x_count`. Alerts and a dashboard that stand on them: [operating](operating.md#watching).',
    '',
    table(
      ['Metric', 'Type', 'Labels', 'Told by', 'Meaning'],
      metrics.map(({ name, type, labels: names, of, meaning }) => [`\`${name}\``, type, labels(names), of, meaning]),
    ),
    '',
    'Workers tell alike what PostgreSQL knows (what is due, what is on its way): take `max`, not `sum`, over them.',
    '',
    '## Of every Node process',
    '',
    'Besides, everything that prom-client tells by default (`process_*`, `nodejs_*`); alerts and dashboard use:',
    '',
    table(['Metric', 'Meaning'], Object.entries(runtime).map(([name, meaning]) => [`\`${name}\``, meaning])),
    '',
  ].join('\n');
}
