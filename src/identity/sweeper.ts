// Work nobody waits for: what has expired goes, token keys are replaced in time.
import { patiently } from '../platform/database/index.ts';
import type { Log } from '../platform/log/index.ts';
import type { Metrics } from '../platform/metrics/index.ts';
import type { Records } from './openid/index.ts';
import type { Passwords } from './passwords/index.ts';
import type { Revocations, TokenKeys } from './tokens/index.ts';
import type { Devices } from './two-factor/index.ts';
import type { Users } from './users/index.ts';

const EVERY_MS = 60_000;

export function startSweeper(deps: {
  revocations: Revocations;
  tokenKeys: TokenKeys;
  records: Records;
  passwords: Passwords;
  devices: Devices;
  users: Users;
  log: Log;
  metrics: Metrics;
}): {
  stop(): Promise<void>;
} {
  const { revocations, tokenKeys, records, passwords, devices, users, log, metrics } = deps;
  let unformed = true;
  let stopped = false;
  let lastDone = performance.now();
  let running: Promise<void> = Promise.resolve();
  metrics.gauge(
    'gatehouse_sweep_lag_seconds',
    'Time since expired rows were last swept',
    () => (performance.now() - lastDone) / 1000,
    // The worst of several workers: one whose sweeps fail must show.
    'max',
  );

  async function sweep(): Promise<void> {
    try {
      const revoked = await revocations.sweep();
      const ended = (await records.sweep()) + (await passwords.sweep()) + (await devices.sweep());
      await tokenKeys.rotate();
      // Looked for until there are none: everyone who comes later has one.
      while (unformed && !stopped) unformed = (await users.fillNameForms()) > 0;
      lastDone = performance.now();
      if (revoked + ended > 0) log.info({ revoked, ended }, 'swept what has expired');
    } catch (error) {
      log.warn({ err: error }, 'sweep failed; it will be tried again');
    }
  }

  const timer = setInterval(() => {
    running = patiently(sweep);
  }, EVERY_MS);
  timer.unref();
  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
