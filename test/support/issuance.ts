// A wallet on each database next to a toy issuer, and what tests of receiving look at.
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

/** What was issued; throws unless something was. */
export function issuedCredentials(answer: ApiAnswer): any[] {
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.body.status, 'issued');
  return answer.body.credentials;
}

/** What was sent by mistake to nobody: by their ids. */
export const credentialIds = async (person: WalletUser): Promise<string[]> =>
  (await person.get(CREDENTIALS)).body.map(({ id }: { id: string }) => id);

export const stepsOf = async (person: WalletUser, id: string): Promise<string[]> =>
  (await person.get(`${EXCHANGES}/${id}`)).body.steps.map(({ step }: { step: string }) => step);

/** As many keys as the wallet has, whatever is remembered. */
export const keysOf = async (person: WalletUser): Promise<any[]> => (await person.get(`${KEYS}?limit=200`)).body;
