// Work nobody waits for: what has expired goes, token keys are replaced in time.
import { patiently } from '../../platform/database/index.ts';
import { type Job, repeat } from '../../platform/jobs/index.ts';
import type { Log } from '../../platform/log/index.ts';
import type { Metrics } from '../../platform/metrics/index.ts';
import type { Records } from '../openid/index.ts';
import type { Passwords } from '../passwords/index.ts';
import type { Revocations, TokenKeys } from '../tokens/index.ts';
import type { Devices } from '../two-factor/index.ts';
import type { Users } from '../users/index.ts';

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
}): Job {
  const { revocations, tokenKeys, records, passwords, devices, users, log, metrics } = deps;
  let unformed = true;

  async function sweep(stopping: AbortSignal): Promise<void> {
    const revoked = await revocations.sweep();
    const ended = (await records.sweep()) + (await passwords.sweep()) + (await devices.sweep());
    await tokenKeys.rotate();
    // Looked for until there are none: everyone who comes later has one.
    while (unformed && !stopping.aborted) unformed = (await users.fillNameForms()) > 0;
    if (revoked + ended > 0) log.info({ revoked, ended }, 'swept what has expired');
  }

  const job = repeat({
    everyMs: EVERY_MS,
    run: (stopping) => patiently(() => sweep(stopping)),
    log,
    failure: 'sweep failed; it will be tried again',
  });
  // The worst of several workers: one whose sweeps fail must show.
  metrics.gauge('gatehouse_sweep_lag_seconds', 'Time since expired rows were last swept', job.lagSeconds, 'max');
  return job;
}
