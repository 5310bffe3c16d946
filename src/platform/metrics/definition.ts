// What a metric is called and what it means. docs/metrics.md is made from these.

/** How the values of several workers are combined. */
export type Aggregation = 'sum' | 'min' | 'max';

export interface MetricDefinition<L extends string = string> {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** The values of each label, in words. Never a name of somebody, and never without a bound. */
  readonly labels?: Readonly<Record<L, string>>;
  /** The sum by default. `max` where all workers report the same. */
  readonly aggregation?: Aggregation;
}

export type MetricDefinitions = Readonly<Record<string, MetricDefinition>>;
