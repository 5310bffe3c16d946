// Protects accounts and groups that have more rights than the caller. The decision is in applications/app-roles/rank-guard.ts.
import type { Reader } from '../../ground/database/index.ts';
import type { Grantee } from '../context/index.ts';
import type { Caller } from './caller.ts';

export interface RankGuardDetails {
  /** The change affects how the person signs in. */
  readonly signIn?: boolean;
  /** Users the change adds to the group. */
  readonly admits?: readonly string[];
}

/**
 * Fails with 403 when the grantee is protected from the caller. Checked before a change, and again in its transaction. Otherwise a
 * provisioning client could sign in as a manager, or make someone a manager, and do what only people may.
 */
export type RankGuard = (
  reader: Reader,
  caller: Caller,
  action: string,
  grantee: Grantee,
  details?: RankGuardDetails,
) => Promise<void>;
