// The dashboard and the alert rules of packaging/monitoring: they name metrics that exist, and Prometheus itself understands them.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { backupMetrics } from '../src/data-backups.ts';
import { identityMetrics } from '../src/identity/metrics.ts';
import {
  createMetrics,
  type MetricDefinition,
  processMetrics,
  registerProcess,
  requestTimes,
} from '../src/platform/metrics/index.ts';
import { version } from '../src/version.ts';
import { walletMetrics } from '../src/wallet/metrics.ts';
import { itAtLength } from './support/extent.ts';
import { freePort } from './support/ports.ts';
import { gatehouse } from './support/process.ts';

const FOLDER = join(import.meta.dirname, '../packaging/monitoring');
const RULES = 'gatehouse.rules.yml';
const PATIENCE_MS = 120_000;

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
const dashboard = JSON.parse(read('grafana-dashboard.json')) as { panels: readonly Panel[]; templating: unknown };
const queries = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));

/** All names that the services serve. */
async function servedNames(): Promise<Set<string>> {
  const own: MetricDefinition[] = [
    ...Object.values(backupMetrics),
    ...Object.values(identityMetrics),
    ...Object.values(walletMetrics),
    ...Object.values(processMetrics),
  ];
  const names = [...own, requestTimes].flatMap(({ name, type }) =>
    type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name],
  );
  const metrics = createMetrics();
  registerProcess(metrics, { version, certFile: undefined });
  const ofProcess = (await metrics.registry.getMetricsAsJSON()).map(({ name }) => name);
  return new Set([...names, ...ofProcess]);
}

const metricsIn = (text: string): string[] => text.match(/\b(?:gatehouse|wallet|http|process|nodejs)_[a-z0-9_]+/g) ?? [];

describe('The dashboard and the alert rules', () => {
  it('name only metrics that exist', async () => {
    const names = await servedNames();
    for (const text of [read(RULES), JSON.stringify(dashboard.templating), ...queries.map(({ expr }) => expr)])
      for (const name of metricsIn(text)) assert.ok(names.has(name), `${name} in ${text}`);
    assert.ok(queries.length > 40);
  });

  it('show every metric of ours', () => {
    const shown = new Set(metricsIn([read(RULES), ...queries.map(({ expr }) => expr)].join('\n')));
    const own: MetricDefinition[] = [...Object.values(identityMetrics), ...Object.values(walletMetrics)];
    const missing = own.filter(({ name }) => ![name, `${name}_bucket`].some((one) => shown.has(one)));
    assert.deepEqual(
      missing.map(({ name }) => name).filter((name) => name !== walletMetrics.poolSize.name),
      [],
    );
  });

  it('pass the checks of promtool, with an alert in the unit tests for each rule', () => {
    const run = (...args: string[]): string => execFileSync('promtool', args, { cwd: FOLDER, encoding: 'utf8' });
    assert.match(run('check', 'rules', RULES), /SUCCESS/);
    assert.match(run('test', 'rules', 'gatehouse.rules.test.yml'), /SUCCESS/);
    const tests = read('gatehouse.rules.test.yml');
    for (const [, alert] of read(RULES).matchAll(/alert: (\w+)/g))
      assert.match(tests, new RegExp(`alertname: ${alert}\\n\\s+exp_alerts:\\n\\s+- exp_labels`), alert);
  });

  itAtLength('work with a Prometheus that reads a running service', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-prometheus-'));
    const [metricsPort, port] = [await freePort(), await freePort()];
    const service = gatehouse(['start'], { GATEHOUSE_METRICS_PORT: String(metricsPort) });
    await service.listening();
    await cp(join(FOLDER, RULES), join(folder, RULES));
    const config = read('prometheus.yml').replace('15s', '1s').replace('127.0.0.1:2112', `127.0.0.1:${metricsPort}`);
    await writeFile(join(folder, 'prometheus.yml'), config);
    const prometheus = spawn(
      'prometheus',
      [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=127.0.0.1:${port}`],
      { stdio: 'ignore' },
    );
    const ended = once(prometheus, 'exit');
    const ask = async (query: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?${new URLSearchParams({ query })}`);
      return (await answer.json()) as { status: string; error?: string; data?: { result: { value: [number, string] }[] } };
    };
    try {
      const isUp = async () => (await ask('up{job="gatehouse"}').catch(() => undefined))?.data?.result[0]?.value[1] === '1';
      for (const end = Date.now() + PATIENCE_MS; !(await isUp()) && Date.now() < end; ) await delay(100);
      assert.ok(await isUp());
      for (const name of ['gatehouse_feed_live', 'wallet_feed_live', 'gatehouse_info'])
        assert.equal((await ask(name)).data?.result[0]?.value[1], '1', name);
      for (const { title, expr } of queries) {
        const query = expr.replaceAll('$job', 'gatehouse').replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m');
        const { status, error } = await ask(query);
        assert.equal(status, 'success', `${title}: ${query}: ${error}`);
      }
      const rules = (await (await fetch(`http://127.0.0.1:${port}/api/v1/rules`)).json()) as {
        data: { groups: { rules: { name: string; lastError?: string }[] }[] };
      };
      assert.deepEqual(
        rules.data.groups.flatMap((group) => group.rules).filter(({ lastError }) => lastError),
        [],
      );
    } finally {
      prometheus.kill('SIGTERM');
      await ended;
      assert.equal(await service.stop(), 0);
      await rm(folder, { recursive: true, force: true });
    }
  });
});
