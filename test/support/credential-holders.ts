// Credentials of roles in the hands of people who show them.
import assert from 'node:assert/strict';
import type { TestApi } from './api.ts';
import { Holder } from './holder.ts';
import { makeHolder, type RoleHolder, type RoleWorld, TestCredentialWallet, type Token } from './role-credentials.ts';

/** Somebody with the role, and its credential. */
export type CredentialHolder = RoleHolder & { readonly holder: Holder };

/** The wallet has a credential issued for the key of the holder. */
export async function receiveInto(holder: Holder, wallet: TestCredentialWallet, token: Token, id: string): Promise<Holder> {
  const jwt = [await holder.proof(wallet.issuer, await wallet.nonce())];
  const { status, body, text } = await wallet.request(token, { credential_configuration_id: id, proofs: { jwt } });
  assert.equal(status, 200, text);
  holder.raw = body.credentials[0].credential;
  return holder;
}

/** Receives a credential, as a wallet does with a pre-authorized code. */
export async function receiveCredential(
  api: TestApi,
  person: RoleHolder,
  id: string,
  wallet = new TestCredentialWallet(api),
): Promise<Holder> {
  return receiveInto(new Holder(() => api.clock.now()), wallet, await wallet.tokenFor(person, id), id);
}

export async function makeCredentialHolder(
  api: TestApi,
  world: RoleWorld,
  { format = 'dc+sd-jwt', ...values }: Record<string, unknown> & { format?: string } = {},
): Promise<CredentialHolder> {
  const person = await makeHolder(api, world, values);
  const ids: Readonly<Record<string, string>> = { 'dc+sd-jwt': world.sdJwt, jwt_vc_json: world.jwtVc, mso_mdoc: world.mdoc };
  return { ...person, holder: await receiveCredential(api, person, ids[format]!) };
}
