// Prometheus metrics, served on the internal port only.
import type { Server } from 'node:http';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { createServer } from '../node-http.ts';
import type { ReservedPort } from '../reserved-port.ts';
import { type RequestTimes, RequestTimesMetric } from './request-times.ts';

export type { RequestTimes } from './request-times.ts';

/** Values by the value of the one label. */
export type LabelledValues = Readonly<Record<string, number>>;

/** What a process counts; the services in it share one. */
export interface Metrics {
  readonly registry: Registry;
  timesOf(service: string): RequestTimes;
  /** `among`: what the values of several workers are together. Each counts its own unless told otherwise. */
  gauge(name: string, help: string, read: () => number, among?: 'sum' | 'min' | 'max'): void;
  /** A gauge of what all workers share: their values are not added up. */
  sharedGauge(name: string, help: string, read: () => Promise<number>): void;
  /** A gauge with one label, read when it is asked for. Every worker reads the same, too, unless told otherwise. */
  labelledGauge(
    name: string,
    help: string,
    label: string,
    read: () => Promise<LabelledValues> | LabelledValues,
    among?: 'sum' | 'max',
  ): void;
  /** A counter that somebody else keeps, with one label; the counts of several workers are added up. */
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
    gauge(name, help, read, among = 'sum') {
      new Gauge({
        name,
        help,
        registers,
        aggregator: among,
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
          // A database that is away shows in other metrics.
          this.set(await read().catch(() => 0));
        },
      });
    },
    labelledGauge(name, help, label, read, among = 'max') {
      new Gauge({
        name,
        help,
        registers,
        labelNames: [label],
        aggregator: among,
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

/** In a worker: answers the primary, which gathers the values of all. To make one is what makes the library listen. */
export function answerPrimary({ registry }: Metrics): void {
  new AggregatorRegistry();
  AggregatorRegistry.setRegistries(registry);
}

/** In the primary: the values of all workers, as one text. */
export function gatherFromWorkers(): () => Promise<string> {
  const gathered = new AggregatorRegistry();
  return () => gathered.clusterMetrics();
}

/** A plain server: two lines of protocol need no framework. */
/** On a port of its own, which was taken beforehand. */
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
