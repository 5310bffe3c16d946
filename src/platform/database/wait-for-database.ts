// A start waits for a PostgreSQL that is not there yet: after a power cut everything starts at once. Bounded, and said.
import type pg from 'pg';
import { ConfigError } from '../config/index.ts';
import type { Log } from '../log/index.ts';
import { isUnreachable, isUnwritable } from './errors.ts';
import type { Hosts } from './hosts.ts';

/** The exit code of a start that ended because of it, as sysexits.h has it. */
export const DATABASE_UNREACHABLE_EXIT = 69;

/** It did not come within the time. */
export class DatabaseWaitTimeout extends Error {
  readonly exitCode = DATABASE_UNREACHABLE_EXIT;
}

export interface DatabaseWait {
  readonly seconds: number;
  readonly log: Log;
}

/** What a service was told, if anything. */
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

/** `newClient` makes one that was not connected yet. */
export async function waitForDatabase(
  hosts: Hosts,
  newClient: () => pg.Client,
  setting: string,
  waiting?: DatabaseWait,
): Promise<void> {
  const until = performance.now() + (waiting?.seconds ?? 0) * 1000;
  for (;;) {
    const client = newClient();
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      const reason = reasonOf(error);
      // A wrong password or name does not become right by waiting.
      if (!isUnreachable(error) && !isUnwritable(error))
        throw new ConfigError(`${setting}: PostgreSQL at ${hosts.names} refuses us (${reason})`);
      if (performance.now() > until)
        throw new DatabaseWaitTimeout(
          `${setting}: PostgreSQL at ${hosts.names} does not serve (${reason}), waited ${waiting?.seconds ?? 0} s; ` +
            'start it, or mend the address',
        );
      waiting?.log.warn({ setting, reason }, 'waiting for PostgreSQL');
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
