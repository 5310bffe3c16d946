// How the wallet authenticates to authorization servers: not at all, by an attestation of its provider, which is the node, or by a key that it is
// registered with. The metadata say what a server takes.
import { randomUUID } from 'node:crypto';
import type { AuthorizationServerMetadata, CallbackContext } from '@openid4vc/oauth2';
import { type Clock, seconds } from '../../platform/clock.ts';
import { signJws } from '../../verifiable/jose/index.ts';
import type { Attester } from '../attester/index.ts';
import { protocolError, type WalletSigner } from '../protocols/index.ts';

export const CLIENT_METHODS = ['none', 'attestation', 'private_key_jwt'] as const;
export type ClientMethod = (typeof CLIENT_METHODS)[number];

type Fetch = NonNullable<CallbackContext['fetch']>;
type Server = Readonly<Record<string, unknown>>;

/** As metadata name them, the stronger first. */
const PROVABLE: readonly (readonly [string, ClientMethod])[] = [
  ['attest_jwt_client_auth', 'attestation'],
  ['private_key_jwt', 'private_key_jwt'],
];

/**
 * In the order in which they are tried. An attestation says which node a person uses, so it is sent only to servers that ask for it.
 * `isAnonymous`: a request with a pre-authorized code, in which nobody has to say who they are, if the server says so (OID4VCI, 12.3). Many
 * that let anybody in do not say it. Where all that is offered is to prove oneself, by an attestation, being nobody is tried after that.
 */
export function methodsFor(server: AuthorizationServerMetadata, isAnonymous: boolean): readonly ClientMethod[] {
  const { token_endpoint_auth_methods_supported: listed = [] } = server as { token_endpoint_auth_methods_supported?: string[] };
  const anonymous = (server as Server)['pre-authorized_grant_anonymous_access_supported'];
  const provable = PROVABLE.flatMap(([name, method]) => (listed.includes(name) ? [method] : []));
  const [first, ...others] = provable;
  if (isAnonymous && anonymous === undefined && first === 'attestation' && !listed.includes('none'))
    return [first, 'none', ...others];
  const isOpen = isAnonymous ? anonymous !== false : provable.length === 0 || listed.includes('none');
  return isOpen || provable.length === 0 ? ['none', ...provable] : provable;
}

/** Until the server lets the client in. What is refused with `invalid_client` has used nothing up. */
export async function tryMethods<T>(
  methods: readonly ClientMethod[],
  ask: (method: ClientMethod) => Promise<T>,
): Promise<{ readonly method: ClientMethod; readonly result: T }> {
  for (const [at, method] of methods.entries())
    try {
      return { method, result: await ask(method) };
    } catch (error) {
      if (at === methods.length - 1 || protocolError(error)?.error !== 'invalid_client') throw error;
    }
  throw new Error('there is no method');
}

const CHALLENGE = 'attestation_challenge';

/** A server may give a value that the proof must have (draft-ietf-oauth-attestation-based-client-auth, 8). */
async function challengeOf({ challenge_endpoint: url }: Server, guardedFetch: Fetch): Promise<string | undefined> {
  if (typeof url !== 'string') return undefined;
  const response = await guardedFetch(url, { method: 'POST', headers: { Accept: 'application/json' } });
  const body = (await response.json().catch(() => ({}))) as Readonly<Record<string, unknown>>;
  const value = body[CHALLENGE];
  return typeof value === 'string' && value.length <= 1000 ? value : undefined;
}

export interface ClientAuthenticationDeps {
  readonly clock: Clock;
  readonly attester: Pick<Attester, 'attestWallet' | 'clientAssertion'>;
  readonly clientId: () => string;
}

/** The callback of the library for one method. `instance`: the key of this exchange, so that no two of them can be linked by it. */
export function clientAuthentication(
  { clock, attester, clientId }: ClientAuthenticationDeps,
  method: ClientMethod,
  instance: WalletSigner,
  guardedFetch: Fetch,
): CallbackContext['clientAuthentication'] {
  if (method === 'none') return () => undefined;
  return async ({ authorizationServerMetadata: server, headers, body }) => {
    body.client_id = clientId();
    if (method === 'private_key_jwt') {
      body.client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
      body.client_assertion = await attester.clientAssertion(server.issuer);
      return;
    }
    const challenge = await challengeOf(server as Server, guardedFetch);
    const iat = seconds(clock);
    const proof = {
      iss: clientId(),
      aud: server.issuer,
      jti: randomUUID(),
      iat,
      ...(challenge === undefined ? {} : { challenge }),
    };
    const header = { alg: instance.algorithm, typ: 'oauth-client-attestation-pop+jwt' };
    headers.set('OAuth-Client-Attestation', await attester.attestWallet(instance.jwk));
    headers.set('OAuth-Client-Attestation-PoP', await signJws(header, proof, instance.sign));
  };
}
