// Hashes that are computed in JavaScript, in a thread of their own.
import { threadOf } from '../../../../platform/threads/index.ts';

export type SlowHash =
  | { readonly algorithm: 'bcrypt'; readonly password: string; readonly salt: string }
  | { readonly algorithm: 'sha256' | 'sha512'; readonly password: string; readonly salt: string; readonly rounds: number };

/** The text of the hash, without its parameters in the case of SHA-crypt. */
export const slowHash = threadOf<SlowHash, string>(new URL('./slow-hashes-worker.ts', import.meta.url));
