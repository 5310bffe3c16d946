// The ports of both services and of the metrics, taken before anything is created.
import { explainListenErrors } from './platform/config/index.ts';
import { ReservedPort } from './platform/reserved-port.ts';
import type { RunOptions } from './setting-rules.ts';

export interface ReservedPorts {
  readonly identity: readonly ReservedPort[] | undefined;
  readonly wallet: readonly ReservedPort[] | undefined;
  readonly metrics: ReservedPort;
}

/** Before anything is created: a start that cannot listen must leave nothing behind, and must not show a password. */
export async function reservePorts({ shared, identity, wallet }: RunOptions): Promise<ReservedPorts> {
  const take = (prefix: string, { host, port }: { host: string; port: number }) =>
    explainListenErrors({ prefix, host, port }, () => ReservedPort.takeAll(host, port));
  const ofMetrics = { prefix: 'GATEHOUSE_METRICS', host: shared.metricsHost, port: shared.metricsPort };
  return {
    identity: identity && (await take('GATEHOUSE_IDENTITY', identity)),
    wallet: wallet && (await take('GATEHOUSE_WALLET', wallet)),
    metrics: await explainListenErrors(ofMetrics, () => ReservedPort.take(ofMetrics.host, ofMetrics.port)),
  };
}
