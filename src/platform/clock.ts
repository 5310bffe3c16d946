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

/** `2026-11-15T03:25:00.123456`: how Keystone writes a few times, without a zone. They are UTC. */
export function isoTimeWithoutZone(seconds: number, microseconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${String(microseconds).padStart(6, '0')}`;
}
