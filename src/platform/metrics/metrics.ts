// The metrics of a process. Values are kept as plain numbers where they arise and read on a scrape, so that counting costs nothing.
import { Counter, Gauge, Registry } from 'prom-client';
import type { MaybePromise } from '../maybe-promise.ts';
import type { MetricDefinition } from './definition.ts';
import { type Histogram, HistogramMetric } from './histogram.ts';
import { type RequestTimes, RequestTimesMetric } from './request-times.ts';

/** Values by the value of the one label. */
export type LabelledValues = Readonly<Record<string, number>>;

/** All services in the process share them. */
export interface Metrics {
  readonly registry: Registry;
  timesOf(service: string): RequestTimes;
  /** A gauge that is read on every scrape. Without a value it is left out, also when reading fails. */
  gauge(definition: MetricDefinition, read: () => MaybePromise<number | undefined>): void;
  /** The same with one label. */
  labelled(definition: MetricDefinition, read: () => MaybePromise<LabelledValues>): void;
  /** A counter whose value is kept elsewhere. */
  total(definition: MetricDefinition, read: () => number): void;
  /** The same with one label. */
  totals(definition: MetricDefinition, read: () => LabelledValues): void;
  /** A counter that is kept here. Costs a microsecond. */
  counter<L extends string>(definition: MetricDefinition<L>): (values: Readonly<Record<L, string>>) => void;
  histogram(definition: MetricDefinition, histogram: Histogram): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const times = new RequestTimesMetric();
  registry.registerMetric(times as never);
  const optionsOf = ({ name, help, labels = {}, aggregation = 'sum' }: MetricDefinition) => ({
    name,
    help,
    labelNames: Object.keys(labels),
    aggregator: aggregation,
    registers: [registry],
  });
  const labelOf = ({ name, labels = {} }: MetricDefinition): string => {
    const [label, ...others] = Object.keys(labels);
    if (label === undefined || others.length > 0) throw new Error(`${name} must have one label`);
    return label;
  };
  return {
    registry,
    timesOf: (service) => times.of(service),
    gauge(definition, read) {
      new Gauge({
        ...optionsOf(definition),
        async collect() {
          // An unreachable database shows in other metrics.
          const value = await Promise.try(read).catch(() => undefined);
          if (value === undefined) this.remove();
          else this.set(value);
        },
      });
    },
    labelled(definition, read) {
      const label = labelOf(definition);
      new Gauge({
        ...optionsOf(definition),
        async collect() {
          const values = await Promise.try(read).catch((): LabelledValues => ({}));
          this.reset();
          for (const [value, number] of Object.entries(values)) this.set({ [label]: value }, number);
        },
      });
    },
    total(definition, read) {
      new Counter({
        ...optionsOf(definition),
        collect() {
          this.reset();
          this.inc(read());
        },
      });
    },
    totals(definition, read) {
      const label = labelOf(definition);
      new Counter({
        ...optionsOf(definition),
        collect() {
          this.reset();
          for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count);
        },
      });
    },
    counter(definition) {
      const counter = new Counter(optionsOf(definition));
      return (values) => counter.inc(values as never);
    },
    histogram: (definition, histogram) => registry.registerMetric(new HistogramMetric(definition, histogram) as never),
  };
}
