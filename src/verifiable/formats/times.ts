// Validity times of a credential, from the claims of a JWT (RFC 7519) or of a W3C credential.
import type { Clock } from '../../platform/clock.ts';
import { reject, type VerifiedCredential } from './format.ts';

/** The maximum of a Date. */
const LAST_MS = 8.64e15;
/** RFC 3339. Parsers disagree about other forms. */
const WRITTEN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/;

/** Tolerance for clock differences. */
export const SKEW_MS = 60_000;

export type Times = Pick<VerifiedCredential, 'issuedAt' | 'validFrom' | 'validUntil'>;

const numeric = (value: unknown, name: string): number | undefined => {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !(Math.abs(value) * 1000 <= LAST_MS)) reject('invalid-times', `${name} is not a time`);
  return Math.floor(value * 1000);
};

/** Parses an RFC 3339 time. */
export const timeOf = (value: unknown, name: string): number | undefined => {
  if (value === undefined) return undefined;
  // Without a time zone it is UTC, not local time.
  const [text, , zone] = typeof value === 'string' ? (WRITTEN.exec(value) ?? []) : [];
  const at = text === undefined ? Number.NaN : Date.parse(zone ? text : `${text}Z`);
  if (Number.isNaN(at)) reject('invalid-times', `${name} is not a time`);
  return at;
};

/** Removes undefined times. */
const definedOnly = (times: { [K in keyof Times]: Times[K] | undefined }): Times =>
  Object.fromEntries(Object.entries(times).filter(([, at]) => at !== undefined));

export const timesOfJwt = ({ iat, nbf, exp }: Readonly<Record<string, unknown>>): Times =>
  definedOnly({ issuedAt: numeric(iat, 'iat'), validFrom: numeric(nbf, 'nbf'), validUntil: numeric(exp, 'exp') });

/** Unlike `??`, null is not treated as absent, so that it is refused. */
const orElse = (one: unknown, other: unknown): unknown => (one === undefined ? other : one);

/** VCDM 2.0 and 1.1. In 1.1 `issuanceDate` is the start of validity, which may be in the future (1.1, 4.6). */
export const timesOfW3c = (credential: Readonly<Record<string, unknown>>): Times =>
  definedOnly({
    validFrom: timeOf(orElse(credential.validFrom, credential.issuanceDate), 'validFrom'),
    validUntil: timeOf(orElse(credential.validUntil, credential.expirationDate), 'validUntil'),
  });

/** The intersection of two validity periods. */
export function intersectTimes(one: Times, other: Times): Times {
  const both = (name: keyof Times): number[] => [one[name], other[name]].filter((at) => at !== undefined);
  const of = (name: keyof Times, pick: (...times: number[]) => number): number | undefined =>
    both(name).length > 0 ? pick(...both(name)) : undefined;
  return definedOnly({
    issuedAt: of('issuedAt', Math.max),
    validFrom: of('validFrom', Math.max),
    validUntil: of('validUntil', Math.min),
  });
}

/** Rejects credentials that have expired or were issued in the future. A later start of validity is allowed. */
export function checkTimes({ issuedAt, validUntil }: Times, clock: Clock): void {
  const now = clock.now();
  if (validUntil !== undefined && validUntil <= now - SKEW_MS) reject('expired', 'it has expired');
  if (issuedAt !== undefined && issuedAt > now + SKEW_MS) reject('invalid-times', 'it was issued in the future');
}
