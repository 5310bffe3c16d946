// When a credential holds, by the claims of a JWT (RFC 7519) or of a W3C credential.
import type { Clock } from '../../platform/clock.ts';
import { reject, type VerifiedCredential } from './format.ts';

/** What a Date can hold. */
const LAST_MS = 8.64e15;
/** RFC 3339. Other writings are read differently by everyone. */
const WRITTEN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/;

/** Clocks of issuers differ a little from ours. */
const SKEW_MS = 60_000;

export type Times = Pick<VerifiedCredential, 'issuedAt' | 'validFrom' | 'validUntil'>;

const numeric = (value: unknown, name: string): number | undefined => {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !(Math.abs(value) * 1000 <= LAST_MS)) reject('invalid-times', `${name} is not a time`);
  return Math.floor(value * 1000);
};

/** As RFC 3339 writes it. */
export const timeOf = (value: unknown, name: string): number | undefined => {
  if (value === undefined) return undefined;
  // Without a zone it is UTC, not the zone of this machine.
  const [text, , zone] = typeof value === 'string' ? (WRITTEN.exec(value) ?? []) : [];
  const at = text === undefined ? Number.NaN : Date.parse(zone ? text : `${text}Z`);
  if (Number.isNaN(at)) reject('invalid-times', `${name} is not a time`);
  return at;
};

/** Only what is there: an absent time is no time. */
const definedOnly = (times: { [K in keyof Times]: Times[K] | undefined }): Times =>
  Object.fromEntries(Object.entries(times).filter(([, at]) => at !== undefined));

export const timesOfJwt = ({ iat, nbf, exp }: Readonly<Record<string, unknown>>): Times =>
  definedOnly({ issuedAt: numeric(iat, 'iat'), validFrom: numeric(nbf, 'nbf'), validUntil: numeric(exp, 'exp') });

/** Null is not absent: it is no time. */
const orElse = (one: unknown, other: unknown): unknown => (one === undefined ? other : one);

/** VCDM 2.0 and 1.1, where `issuanceDate` is when it begins to hold, which may well be later than when it was issued (1.1, 4.6). */
export const timesOfW3c = (credential: Readonly<Record<string, unknown>>): Times =>
  definedOnly({
    validFrom: timeOf(orElse(credential.validFrom, credential.issuanceDate), 'validFrom'),
    validUntil: timeOf(orElse(credential.validUntil, credential.expirationDate), 'validUntil'),
  });

/** Said in two places, the narrower counts. */
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

/** One that has expired, or comes from the future, is not taken. One that begins later is. */
export function checkTimes({ issuedAt, validUntil }: Times, clock: Clock): void {
  const now = clock.now();
  if (validUntil !== undefined && validUntil <= now - SKEW_MS) reject('expired', 'it has expired');
  if (issuedAt !== undefined && issuedAt > now + SKEW_MS) reject('invalid-times', 'it was issued in the future');
}
