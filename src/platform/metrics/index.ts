// Prometheus metrics, served on the internal port only.
import type { Server } from 'node:http';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { createServer } from '../node-http.ts';
import type { ReservedPort } from '../reserved-port.ts';
import { type RequestTimes, RequestTimesMetric } from './request-times.ts';

export type { RequestTimes } from './request-times.ts';

/** Values by the value of the one label. */
export type LabelledValues = Readonly<Record<string, number>>;

/** The metrics of a process. All services in it share them. */
export interface Metrics {
  readonly registry: Registry;
  timesOf(service: string): RequestTimes;
  /** `aggregation`: how the values of several workers are combined. By default they are added up. */
  gauge(name: string, help: string, read: () => number, aggregation?: 'sum' | 'min' | 'max'): void;
  /** A gauge of something all workers share. Their values are not added up. */
  sharedGauge(name: string, help: string, read: () => Promise<number>): void;
  /** A gauge with one label, read on every scrape. By default all workers report the same values, which are not added up. */
  labelledGauge(
    name: string,
    help: string,
    label: string,
    read: () => Promise<LabelledValues> | LabelledValues,
    aggregation?: 'sum' | 'max',
  ): void;
  /** A counter with one label whose values are kept elsewhere. The counts of several workers are added up. */
  totals(name: string, help: string, label: string, read: () => LabelledValues): void;
  counter<L extends string>(name: string, help: string, labels: readonly L[]): (values: Readonly<Record<L, string>>) => void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const times = new RequestTimesMetric();
  registry.registerMetric(times as never);
  const registers = [registry];
  return {
    registry,
    timesOf: (service) => times.of(service),
    gauge(name, help, read, aggregation = 'sum') {
      new Gauge({
        name,
        help,
        registers,
        aggregator: aggregation,
        collect() {
          this.set(read());
        },
      });
    },
    sharedGauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers,
        aggregator: 'max',
        async collect() {
          // An unreachable database shows in other metrics.
          this.set(await read().catch(() => 0));
        },
      });
    },
    labelledGauge(name, help, label, read, aggregation = 'max') {
      new Gauge({
        name,
        help,
        registers,
        labelNames: [label],
        aggregator: aggregation,
        async collect() {
          const values = await read();
          this.reset();
          for (const [value, count] of Object.entries(values)) this.set({ [label]: value }, count);
        },
      });
    },
    totals(name, help, label, read) {
      new Counter({
        name,
        help,
        registers,
        labelNames: [label],
        collect() {
          this.reset();
          for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count);
        },
      });
    },
    counter(name, help, labelNames) {
      const counter = new Counter({ name, help, registers, labelNames });
      return (values) => counter.inc(values as never);
    },
  };
}

/**
 * In a worker: answers the primary, which collects the values of all workers. Creating an AggregatorRegistry makes the library listen.
 */
export function answerPrimary({ registry }: Metrics): void {
  new AggregatorRegistry();
  AggregatorRegistry.setRegistries(registry);
}

/** In the primary: returns the values of all workers as one text. */
export function gatherFromWorkers(): () => Promise<string> {
  const gathered = new AggregatorRegistry();
  return () => gathered.clusterMetrics();
}

/** Serves the metrics on a port that was reserved before. */
export async function serveMetrics(reserved: ReservedPort, read: () => Promise<string>): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics' || request.method !== 'GET') {
      response.writeHead(404).end();
      return;
    }
    read().then(
      (text) => response.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text),
      (error: Error) => response.writeHead(500, { 'Content-Type': 'text/plain' }).end(`${error.message}\n`),
    );
  });
  await reserved.giveTo(server);
  return server;
}
