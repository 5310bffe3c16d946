// Times that credentials say. The second in which somebody got theirs would tell verifiers which copies are of one person, so times are
// rounded (OID4VCI 1.0, privacy considerations: correlation).

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** At most a tenth of the time is lost by rounding. */
const SHARE = 10;

const unitOf = (lifetime: number): number => [DAY, HOUR, MINUTE].find((unit) => lifetime >= SHARE * unit) ?? 1;

/** In seconds. `notBefore`: of the certificates; nothing that they sign may seem to be older. */
export function roundedValidity(now: number, until: number, notBefore: number): { issuedAt: number; expiresAt: number } {
  const unit = unitOf(until - now);
  const down = (time: number): number => Math.floor(time / unit) * unit;
  return { issuedAt: Math.min(now, Math.max(down(now), notBefore)), expiresAt: down(until) };
}
