// What suites about wallets that are wrong in one thing have in common.
import assert from 'node:assert/strict';
import { before } from 'node:test';
import type { ApiAnswer, TestApi } from './api.ts';
import { type RoleHolder, type RoleWorld, TestCredentialWallet, usesRoleWorld } from './role-credentials.ts';

export interface HostileWorld {
  readonly world: RoleWorld;
  readonly person: RoleHolder;
  readonly wallet: TestCredentialWallet;
  /** One whose tokens are bound to its key. */
  readonly bound: TestCredentialWallet;
}

export function usesHostileWallets(api: TestApi): HostileWorld {
  const bound = new TestCredentialWallet(api);
  before(async () => void (await bound.withDpop()));
  return { ...usesRoleWorld(api), wallet: new TestCredentialWallet(api), bound };
}

/** The endpoint says this, and no credential. */
export function refusedAs(answer: ApiAnswer, error: string, status = 400): void {
  assert.deepEqual([answer.body?.error, answer.status], [error, status], answer.text);
  assert.equal(answer.body.credentials, undefined);
}

export const withProofs = (id: string, jwt: readonly string[]) => ({ credential_configuration_id: id, proofs: { jwt } });
