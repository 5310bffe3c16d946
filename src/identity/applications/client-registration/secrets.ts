// The secrets of this module. Only their hashes are stored.
import { createHash, timingSafeEqual } from 'node:crypto';
import { newSecret } from '../../../platform/ids.ts';

/** They identify our tokens, also for secret scanners: that with which an application registers, and that by which it manages itself. */
const PREFIX = { registration: 'ghr_', access: 'gha_' } as const;

export const newToken = (kind: keyof typeof PREFIX): string => PREFIX[kind] + newSecret();
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

export function isHashOf(token: string, hash: string): boolean {
  const [one, other] = [Buffer.from(hashOf(token)), Buffer.from(hash)];
  return one.length === other.length && timingSafeEqual(one, other);
}

const BEARER = /^Bearer +([\w.~+/-]{1,512}=*)$/i;
/** Undefined without a header; an empty text if it holds no bearer token. */
export const bearerIn = (authorization: string | undefined): string | undefined =>
  authorization === undefined ? undefined : (BEARER.exec(authorization)?.[1] ?? '');
