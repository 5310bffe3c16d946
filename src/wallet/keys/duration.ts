// Durations: ISO 8601 (`P30D`, `PT12H`) and, for clients of alexandria, Go's (`720h`).
const SECOND = 1000;
const DAY = 86_400 * SECOND;
/** Longer than any useful grace period, and far below what a Date can represent. */
const LONGEST = 3660 * DAY;

const ISO = /^P(?=[\dT])(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
/** Years and months are approximated in days. */
const ISO_UNITS = [365 * DAY, 30 * DAY, 7 * DAY, DAY, 3600 * SECOND, 60 * SECOND, SECOND];
const GO = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/;
const GO_UNITS = ISO_UNITS.slice(-3);

function sum(parts: readonly (string | undefined)[], units: readonly number[]): number {
  return parts.reduce((total, part, at) => total + Number(part ?? 0) * units[at]!, 0);
}

/** Milliseconds; undefined if it is not a duration, or too long. */
export function parseDuration(text: string): number | undefined {
  if (text === '' || text.length > 40) return undefined;
  const iso = ISO.exec(text);
  const go = iso ? null : GO.exec(text);
  const found = iso ? sum(iso.slice(1), ISO_UNITS) : go ? sum(go.slice(1), GO_UNITS) : undefined;
  return found === undefined || found > LONGEST ? undefined : found;
}
