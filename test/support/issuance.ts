// A wallet on each database with a toy issuer, for tests of issuance.
import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';
import type { ApiAnswer } from './api.ts';
import { ToyIssuer } from './toy-issuer.ts';
import { onEachWallet, type TestWallet, type WalletOptions, type WalletUser } from './wallet.ts';

export const VCI = '/api/v1/wallet/oid4vci';
export const CREDENTIALS = '/api/v1/wallet/credentials';
export const EXCHANGES = '/api/v1/wallet/exchanges';
export const KEYS = '/api/v1/wallet/keys';

export function onEachWalletWithIssuer(
  name: string,
  define: (wallet: TestWallet, issuer: ToyIssuer) => void,
  options: WalletOptions = {},
): void {
  onEachWallet(
    name,
    (wallet) => {
      const issuer = new ToyIssuer();
      issuer.now = () => wallet.clock.now();
      before(() => issuer.start());
      after(() => issuer.stop());
      afterEach(() => issuer.reset());
      define(wallet, issuer);
    },
    options,
  );
}

/** The issued credentials; fails if none were issued. */
export function issuedCredentials(answer: ApiAnswer): any[] {
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.body.status, 'issued');
  return answer.body.credentials;
}

/** The ids of the credentials in the wallet. */
export const credentialIds = async (person: WalletUser): Promise<string[]> =>
  (await person.get(CREDENTIALS)).body.map(({ id }: { id: string }) => id);

export const stepsOf = async (person: WalletUser, id: string): Promise<string[]> =>
  (await person.get(`${EXCHANGES}/${id}`)).body.steps.map(({ step }: { step: string }) => step);

/** All keys of the wallet. */
export const keysOf = async (person: WalletUser): Promise<any[]> => (await person.get(`${KEYS}?limit=200`)).body;
