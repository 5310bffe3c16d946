// When the provider was last asked whether a session holds. In memory: whoever writes to the database could say anything.
import type { Clock } from '../../platform/clock.ts';
import type { Session } from './session.ts';

/** So old the provider's word may be that a session in use still holds. */
const CHECK_MS = 60_000;
/** A provider that did not answer is not asked by every request. */
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
    /** It is to be asked about this one again soon. */
    recheckSoon: (idHash: string): void => note(idHash, clock.now() - CHECK_MS + AWAY_MS),
    recordOutage(): void {
      awayAt = clock.now();
    },
    isDue({ idHash, accessToken, accessEndsAt }: Session): boolean {
      const now = clock.now();
      // A clock that was set back makes no check last longer.
      const since = (at: number): number => Math.abs(now - at);
      const isDue = since(checkedAt.get(idHash) ?? Number.NEGATIVE_INFINITY) >= CHECK_MS && since(awayAt) >= AWAY_MS;
      // A token that is known to have run out tells nothing. Of one without an end, or of a former version, the provider knows.
      return isDue && accessToken !== undefined && (accessEndsAt === undefined || now < accessEndsAt);
    },
  };
}

export type ProviderChecks = ReturnType<typeof createProviderChecks>;
