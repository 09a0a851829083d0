import type { MetricDeclaration } from '../platform/observability/metrics.js';
import { generatedFrom, table } from './markdown.js';

/** `docs/metrics.md`: what a process shows on METRICS_PORT. */
export function metricsPage(metrics: readonly MetricDeclaration[], runtime: Readonly<Record<string, string>>): string {
  const labels = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
  return [
    generatedFrom('Metrics', '`src/platform/observability/metrics.ts`'),
    'Each API process and worker shows these at `/metrics` on `METRICS_PORT`, in the format of Prometheus. Names and labels are',
    'stable. No label names a tenant, a taxpayer, a document or a person, so that their number has a bound. A histogram `x` is',
    '`x_bucket`, `x_sum` and `x_count`. Alerts and a dashboard that use them: [operating](operating.md#watching).',
    '',
    table(
      ['Metric', 'Type', 'Labels', 'From', 'Meaning'],
      metrics.map(({ name, type, labels: names, of, meaning }) => [`\`${name}\``, type, labels(names), of, meaning]),
    ),
    '',
    'All workers show the same figures from PostgreSQL (work that is due or on its way): take `max`, not `sum`, over them.',
    '',
    '## Of every Node process',
    '',
    'Besides, the default metrics of prom-client (`process_*`, `nodejs_*`); alerts and dashboard use:',
    '',
    table(['Metric', 'Meaning'], Object.entries(runtime).map(([name, meaning]) => [`\`${name}\``, meaning])),
    '',
  ].join('\n');
}
