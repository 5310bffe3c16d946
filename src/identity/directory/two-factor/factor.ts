// Shared by the files of the second factor: dependencies, and reading its row.
import type { Gate } from '../../../platform/limits/index.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import type { Actor, Change } from '../../ground/audit/index.ts';
import type { Reader, TwoFactorRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Notify } from '../../ground/notifications/index.ts';
import { type Deps, failOnBrokenReference } from '../../ground/resource/index.ts';
import type { Notices } from '../notices/index.ts';
import type { Passwords } from '../passwords/index.ts';
import { findFactor } from './two-factor.store.ts';

export type FactorDeps = Pick<Deps, 'db' | 'clock' | 'change'> & {
  readonly passwords: Passwords;
  readonly notify: Notify;
  /** Tells the person by mail. */
  readonly notices: Pick<Notices, 'twoFactor'>;
  /**
   * In the transaction in which the factor becomes another: ends sessions, tokens and remembered devices of the person, but for the token by
   * which they made the change.
   */
  endOthers(change: Change, userId: string, keeps: Actor['keeps']): Promise<void>;
  /** Whether the person must have a second factor. */
  mustHave(reader: Reader, userId: string): Promise<boolean>;
  readonly seal: Seal;
  /** The name that authenticator apps show. */
  issuer(): string;
  readonly gate: Gate;
};

/** Associated data for the encryption of its key. */
export const sealContext = (userId: string): string => `two_factor/${userId}`;

export async function factorOf({ db }: FactorDeps, userId: string): Promise<TwoFactorRow> {
  return (await findFactor(db.read, userId)) ?? fail('two_factor.not_enabled', { id: userId });
}

export const failIfUserMissing = <T>(userId: string, write: () => Promise<T>): Promise<T> =>
  failOnBrokenReference(() => fail('user.not_found', { id: userId }), write);
