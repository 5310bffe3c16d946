// Time is an argument: services get a Clock, tests get one they can move.

export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Times are kept as whole seconds. */
export function seconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000);
}

/** `2026-11-15T03:25:00.000000Z`, as Keystone prints times (its clients parse the six digits). */
export function isoTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, -1)}000Z`;
}
