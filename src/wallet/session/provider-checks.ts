// When the provider last confirmed a session. Kept in memory, because rows in the database could be forged.
import type { Clock } from '../../platform/clock.ts';
import type { Session } from './session.ts';

/** How long a confirmation by the provider is valid. */
const CHECK_MS = 60_000;
/** How long the provider is not asked again after it did not answer. */
const AWAY_MS = 30_000;

export function createProviderChecks(clock: Clock, limit: number) {
  const checkedAt = new Map<string, number>();
  let awayAt = Number.NEGATIVE_INFINITY;

  function note(idHash: string, at = clock.now()): void {
    checkedAt.delete(idHash);
    checkedAt.set(idHash, at);
    if (checkedAt.size > limit) checkedAt.delete(checkedAt.keys().next().value!);
  }

  return {
    note: (idHash: string): void => note(idHash),
    /** Asks about this session again soon. */
    recheckSoon: (idHash: string): void => note(idHash, clock.now() - CHECK_MS + AWAY_MS),
    recordOutage(): void {
      awayAt = clock.now();
    },
    isDue({ idHash, accessToken, accessEndsAt }: Session): boolean {
      const now = clock.now();
      // A clock that was set back must not make a check last longer.
      const since = (at: number): number => Math.abs(now - at);
      const isDue = since(checkedAt.get(idHash) ?? Number.NEGATIVE_INFINITY) >= CHECK_MS && since(awayAt) >= AWAY_MS;
      // An expired token cannot be checked. A token without a known expiry can.
      return isDue && accessToken !== undefined && (accessEndsAt === undefined || now < accessEndsAt);
    },
  };
}

export type ProviderChecks = ReturnType<typeof createProviderChecks>;
