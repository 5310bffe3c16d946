// What the parts of a second factor share: what they need, and how its row is found.
import type { Gate } from '../../platform/limits/index.ts';
import type { Seal } from '../../platform/seal/index.ts';
import type { TwoFactorRow } from '../database.ts';
import { fail } from '../faults.ts';
import type { Notify } from '../notifications/index.ts';
import type { Passwords } from '../passwords/index.ts';
import { type Deps, unlessMoved } from '../resource/index.ts';
import { findFactor } from './two-factor.store.ts';

export type FactorDeps = Pick<Deps, 'db' | 'clock' | 'change'> & {
  readonly passwords: Passwords;
  readonly notify: Notify;
  readonly seal: Seal;
  readonly issuer: string;
  readonly gate: Gate;
};

/** Where its key is sealed for. */
export const placeOf = (userId: string): string => `two_factor/${userId}`;

export async function factorOf({ db }: FactorDeps, userId: string): Promise<TwoFactorRow> {
  return (await findFactor(db.read, userId)) ?? fail('two_factor.not_enabled', { id: userId });
}

export const unlessGone = <T>(userId: string, write: () => Promise<T>): Promise<T> =>
  unlessMoved(() => fail('user.not_found', { id: userId }), write);
