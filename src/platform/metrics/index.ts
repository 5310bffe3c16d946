// Prometheus metrics, served on the internal port only.
import type { Server } from 'node:http';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { createServer } from '../node-http.ts';
import { RequestTimes } from './request-times.ts';

export { RequestTimes } from './request-times.ts';

export interface Metrics {
  readonly registry: Registry;
  readonly times: RequestTimes;
  gauge(name: string, help: string, read: () => number): void;
}

export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const times = new RequestTimes(service);
  registry.registerMetric(times as never);
  return {
    registry,
    times,
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read());
        },
      });
    },
  };
}

/** A plain server: two lines of protocol need no framework. */
export async function serveMetrics(host: string, port: number, read: () => Promise<string>): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics' || request.method !== 'GET') {
      response.writeHead(404).end();
      return;
    }
    read().then(
      (text) => response.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}
