// Credo's holder receives a credential.
import type { Agent } from '@credo-ts/core';
import type { OpenId4VcModule } from '@credo-ts/openid4vc';
import { newKey } from './credo-trust.ts';

export type HolderAgent = Agent<{ openid4vc: OpenId4VcModule }>;

/** By a pre-authorized code: one copy for each of `count` fresh keys. */
export async function receiveSdJwts(agent: HolderAgent, uri: string, txCode: string, count: number) {
  const { holder } = agent.openid4vc;
  const resolvedCredentialOffer = await holder.resolveCredentialOffer(uri);
  const token = await holder.requestToken({ resolvedCredentialOffer, txCode });
  const keys = await Promise.all(Array.from({ length: count }, () => newKey(agent as never)));
  const { credentials } = await holder.requestCredentials({
    resolvedCredentialOffer,
    ...token,
    credentialBindingResolver: () => ({ method: 'jwk', keys }),
  });
  const [received] = credentials;
  // The record is one of several formats; this one is an SD-JWT VC.
  const { firstCredential } = received!.record as unknown as { readonly firstCredential: { readonly compact: string } };
  return { resolvedCredentialOffer, token, received: received!, compact: firstCredential.compact };
}
