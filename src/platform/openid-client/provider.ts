// The OpenID provider for logins. It is contacted when it is first needed, and again until it answers.
import { newSecret } from '../ids.ts';
import { guardedFetch, type Outbound } from '../outbound/index.ts';
import { createDiscovery, type ProviderOptions, type Unavailable } from './discovery.ts';
import { type AuthorizationFlow, type PreviousGrant, type ProviderGrant, redeemCode, refreshGrant } from './grant.ts';
import type { LogoutAudience } from './logout-token.ts';
import { authorizationUrl, endSessionUrl, isActive, revokeToken } from './requests.ts';
import type { Asking } from './ways.ts';

const PING_MS = 1_000;

/** Rejects while the provider is unreachable. The result is cached for a second, because anybody may call the probe. */
function createPing(reach: () => Promise<void>): () => Promise<void> {
  let last = { at: Number.NEGATIVE_INFINITY, answer: Promise.resolve() };
  return () => {
    const now = performance.now();
    if (now - last.at > PING_MS) last = { at: now, answer: reach() };
    return last.answer;
  };
}

export interface ProviderDeps {
  readonly outbound: Outbound;
  readonly unavailable: Unavailable;
  /** `at`: another address of this service, at which the login began. */
  redirectUri(at?: string): string;
  publish?: Asking['publish'];
}

export function createProvider(options: ProviderOptions, deps: ProviderDeps) {
  const { issuer, scopes } = options;
  const { redirectUri, unavailable, publish = () => unavailable('there is no place for request objects') } = deps;
  const guarded = guardedFetch(deps.outbound, { kind: 'identity-provider', timeoutMs: 5_000, maxBytes: 256 * 1024 });
  const discovered = createDiscovery(options, guarded, unavailable);

  async function reach(): Promise<void> {
    await discovered();
    const { ok, status } = await guarded(`${issuer}/.well-known/openid-configuration`);
    if (!ok) throw new Error(`the identity provider answers ${status}`);
  }

  return {
    issuer,
    newFlow: (): AuthorizationFlow => ({ state: newSecret(), nonce: newSecret(), verifier: newSecret() }),
    authorizationUrl: async (flow: AuthorizationFlow, more: Parameters<typeof authorizationUrl>[3]): Promise<string> =>
      authorizationUrl(await discovered(), { redirectUri: redirectUri(flow.at), scopes, publish }, flow, more),
    /** Exchanges the code for tokens. */
    redeem: async (returned: URLSearchParams, flow: AuthorizationFlow): Promise<ProviderGrant> =>
      redeemCode(await discovered(), redirectUri(flow.at), returned, flow),
    refresh: async (former: PreviousGrant): Promise<ProviderGrant> => refreshGrant(await discovered(), former),
    /** Whether the access token is still valid; undefined if unknown. */
    async isActive(accessToken: string, subject: string): Promise<boolean | undefined> {
      const found = await discovered();
      const { clientSecret } = await options.client();
      return isActive(found, { accessToken, subject, isConfidential: clientSecret !== undefined });
    },
    revoke: async (refreshToken: string): Promise<void> => revokeToken(await discovered(), refreshToken),
    /** Undefined if the provider does not support it, or is unavailable. */
    async endSessionUrl(idToken: string, back: string): Promise<string | undefined> {
      const found = await discovered().catch(() => undefined);
      return found && endSessionUrl(found, idToken, back);
    },
    /** Us, at the provider. */
    registered: async (): Promise<LogoutAudience> => ({
      clientId: (await options.client()).clientId,
      algorithm: options.signingAlgorithm,
    }),
    /** The issuer and the address of its keys, to verify tokens. */
    async signer(): Promise<{ issuer: string; jwksUri: string }> {
      const { issuer: name, jwks_uri: jwksUri } = (await discovered()).config.serverMetadata();
      return { issuer: name, jwksUri: jwksUri ?? unavailable('it has no keys') };
    },
    ping: createPing(reach),
    fetch: guarded,
    unavailable,
  };
}

export type Provider = ReturnType<typeof createProvider>;
