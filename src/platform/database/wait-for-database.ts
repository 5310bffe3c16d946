// At the start, waits a limited time for a PostgreSQL that is not ready yet: after a power cut everything starts together.
import type pg from 'pg';
import { ConfigError } from '../config/index.ts';
import type { Log } from '../log/index.ts';
import { isUnreachable, isUnwritable } from './errors.ts';
import type { Hosts } from './hosts.ts';

/** The exit code when it did not become ready: EX_UNAVAILABLE of sysexits.h. */
export const DATABASE_UNREACHABLE_EXIT = 69;

/** PostgreSQL did not become ready in time. */
export class DatabaseWaitTimeout extends Error {
  readonly exitCode = DATABASE_UNREACHABLE_EXIT;
}

export interface DatabaseWait {
  readonly seconds: number;
  readonly log: Log;
}

/** The wait that the options of a service ask for, if any. */
export const databaseWaitOf = ({
  databaseWaitSeconds: seconds,
  log,
}: {
  databaseWaitSeconds?: number;
  log: Log;
}): DatabaseWait | undefined => (seconds === undefined ? undefined : { seconds, log });

const RETRY_MS = 1_000;

const reasonOf = (error: unknown): string => {
  const { code, message } = error as { code?: string; message?: string };
  return [code, message].filter(Boolean).join(': ') || String(error);
};

/** `newClient` creates a client that is not connected yet. */
export async function waitForDatabase(
  hosts: Hosts,
  newClient: () => pg.Client,
  setting: string,
  wait?: DatabaseWait,
): Promise<void> {
  const until = performance.now() + (wait?.seconds ?? 0) * 1000;
  for (;;) {
    const client = newClient();
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      const reason = reasonOf(error);
      // Waiting does not help against a wrong password or name.
      if (!isUnreachable(error) && !isUnwritable(error))
        throw new ConfigError(`${setting}: PostgreSQL at ${hosts.names} refuses us (${reason})`);
      if (performance.now() > until)
        throw new DatabaseWaitTimeout(
          `${setting}: PostgreSQL at ${hosts.names} does not serve (${reason}), waited ${wait?.seconds ?? 0} s; ` +
            'start it, or correct the URL',
        );
      wait?.log.warn({ setting, reason }, 'waiting for PostgreSQL');
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
