// Services get the time from a Clock, so that tests can set it.

export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Times are stored as whole seconds. */
export function seconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000);
}

/** `2026-11-15T03:25:00.000000Z`: Keystone's format. Its clients expect the six digits. */
export function isoTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, -1)}000Z`;
}
