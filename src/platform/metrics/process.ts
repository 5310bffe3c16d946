// Metrics of a process, whatever runs in it.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { collectDefaultMetrics } from 'prom-client';
import type { MetricDefinition, MetricDefinitions } from './definition.ts';
import type { Metrics } from './metrics.ts';

export const processMetrics = {
  info: {
    name: 'gatehouse_info',
    type: 'gauge',
    help: 'Always 1; its label is the version',
    labels: { version: 'of Gatehouse' },
    aggregation: 'max',
  } as MetricDefinition<'version'>,
  certificate: {
    name: 'gatehouse_tls_certificate_not_after_timestamp_seconds',
    type: 'gauge',
    help: 'When the TLS certificate expires that the services read at their start. Only with GATEHOUSE_TLS_CERT_FILE',
    aggregation: 'min',
  },
} as const satisfies MetricDefinitions;

/** Once in a process: what it watches is watched until the process ends. */
export function registerProcess(
  metrics: Metrics,
  { version, certFile }: { version: string; certFile: string | undefined },
): void {
  collectDefaultMetrics({ register: metrics.registry });
  metrics.labelled(processMetrics.info, () => ({ [version]: 1 }));
  if (certFile === undefined) return;
  // Read once, as the server does: a file that was replaced since is used from the next start on.
  const end = new X509Certificate(readFileSync(certFile)).validToDate.getTime() / 1000;
  metrics.gauge(processMetrics.certificate, () => end);
}
