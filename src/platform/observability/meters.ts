import { Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { type LabelsOf, type MetricDeclaration, type MetricName, type MetricOf, METRICS } from './metrics.js';

export interface Reading<Name extends MetricName> {
  readonly labels: LabelsOf<Name>;
  readonly value: number;
}

type Reader = () => readonly Reading<MetricName>[] | Promise<readonly Reading<MetricName>[]>;

const MS_PER_SECOND = 1_000;

/** Counts and measures what `METRICS` declares. Counting is a step in memory; gauges are read when somebody looks. */
export class Meters {
  readonly registry = new Registry();
  private readonly metrics: Readonly<Record<string, Metric>>;
  private readonly readers = new Map<string, Reader[]>();

  constructor() {
    this.metrics = Object.fromEntries(Object.entries<MetricDeclaration>(METRICS).map(([key, declaration]) => [key, this.create(key, declaration)]));
  }

  /** Counts something that happened. */
  count<Name extends MetricOf<'counter'>>(name: Name, labels: LabelsOf<Name>): void {
    (this.metrics[name] as Counter).inc(labels);
  }

  /** Notes how long something took. */
  time<Name extends MetricOf<'histogram'>>(name: Name, labels: LabelsOf<Name>, milliseconds: number): void {
    (this.metrics[name] as Histogram).observe(labels, milliseconds / MS_PER_SECOND);
  }

  /** Lets a gauge be read when somebody looks; several readers may give different labels of one gauge. */
  gauge<Name extends MetricOf<'gauge'>>(name: Name, read: () => readonly Reading<Name>[] | Promise<readonly Reading<Name>[]>): void {
    const reader = read as Reader;
    this.readers.set(name, [...(this.readers.get(name) ?? []), reader]);
  }

  private create(key: string, { name, type, labels, meaning, buckets }: MetricDeclaration): Metric {
    const common = { name, help: meaning, labelNames: [...labels], registers: [this.registry] };
    switch (type) {
      case 'counter':
        return new Counter(common);
      case 'histogram':
        return new Histogram({ ...common, buckets: [...(buckets ?? [])] });
      case 'gauge': {
        const readings = (): Promise<(readonly Reading<MetricName>[])[]> => Promise.all((this.readers.get(key) ?? []).map(async (read) => read()));
        const gauge: Gauge = new Gauge({
          ...common,
          async collect() {
            const found = (await readings()).flat();
            gauge.reset();
            // No reading is not a zero.
            gauge.remove({});
            for (const { labels: of, value } of found) gauge.set(of, value);
          },
        });
        return gauge;
      }
    }
  }
}
