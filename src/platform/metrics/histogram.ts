// A histogram of seconds, counted in a plain array and converted to Prometheus' format on a scrape.
import type { MetricDefinition } from './definition.ts';

export const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class Histogram {
  readonly counts: number[] = new Array(SECONDS.length + 1).fill(0);
  sum = 0;

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < SECONDS.length && seconds > SECONDS[bucket]!) bucket++;
    this.counts[bucket]!++;
    this.sum += seconds;
  }
}

/** One series of a histogram: its buckets, each with all that are smaller; its sum and its count. */
export function seriesOf(name: string, labels: Readonly<Record<string, string>>, { counts, sum }: Histogram) {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: SECONDS[index] ?? '+Inf' }, value: total };
  });
  return [...buckets, { metricName: `${name}_sum`, labels, value: sum }, { metricName: `${name}_count`, labels, value: total }];
}

/** A histogram without labels, in the format that prom-client's registry expects. */
export class HistogramMetric {
  readonly name: string;
  readonly help: string;
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  readonly #histogram: Histogram;

  constructor({ name, help }: MetricDefinition, histogram: Histogram) {
    this.name = name;
    this.help = help;
    this.#histogram = histogram;
  }

  reset(): void {}

  async get() {
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values: seriesOf(name, {}, this.#histogram) };
  }
}
