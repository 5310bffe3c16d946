// Serves the metrics on the internal port only: of this process, or of all workers.
import type { Server } from 'node:http';
import { AggregatorRegistry } from 'prom-client';
import { createServer } from '../node-http.ts';
import type { ReservedPort } from '../reserved-port.ts';
import type { Metrics } from './metrics.ts';

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
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end();
      return;
    }
    read().then(
      // Node sends no body for HEAD.
      (text) => response.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text),
      (error: Error) => response.writeHead(500, { 'Content-Type': 'text/plain' }).end(`${error.message}\n`),
    );
  });
  await reserved.giveTo(server);
  return server;
}
