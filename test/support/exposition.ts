/** One line of what Prometheus reads. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads the text format of Prometheus. */
export function samplesOf(text: string): Sample[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).map((line) => {
    const [, name = '', labels = '', value = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === '') throw new Error(`no sample: ${line}`);
    return { name, labels: Object.fromEntries([...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text])), value: Number(value) };
  });
}

/** What the samples of one name and these labels add up to; null when there is none. */
export function valueOf(samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>> = {}): number | null {
  const mine = samples.filter((sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value));
  return mine.length === 0 ? null : mine.reduce((sum, { value }) => sum + value, 0);
}

/** What a process tells on its port for operators. */
export async function metricsOf({ metricsUrl }: { readonly metricsUrl: string | null }): Promise<Sample[]> {
  return samplesOf(await (await fetch(`${metricsUrl ?? ''}/metrics`)).text());
}
