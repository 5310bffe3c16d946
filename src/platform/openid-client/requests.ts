// Requests to the provider.
import { type DiscoveredProvider, isForBrowsers } from './discovery.ts';
import { isInvalidToken, isUnavailable } from './errors.ts';
import type { AuthorizationFlow } from './grant.ts';
import { type Asking, REQUEST_FORMS, RESPONSE_MODES } from './ways.ts';

interface Ours extends Pick<Asking, 'publish'> {
  readonly redirectUri: string;
  readonly scopes: string;
}

/** The authorization request (OpenID Connect Core, 3.1.2.1), with PKCE. */
export async function authorizationUrl(
  discovered: DiscoveredProvider,
  { redirectUri, scopes, publish }: Ours,
  { state, nonce, verifier }: AuthorizationFlow,
  { prompt, loginHint, maxAge }: { prompt?: string | undefined; loginHint?: string | undefined; maxAge?: number | undefined },
): Promise<string> {
  const { oidc, way } = discovered;
  const parameters = {
    redirect_uri: redirectUri,
    scope: scopes,
    ...RESPONSE_MODES[way.response_mode],
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(prompt ? { prompt } : {}),
    ...(loginHint ? { login_hint: loginHint } : {}),
    ...(maxAge === undefined ? {} : { max_age: String(maxAge) }),
  };
  return (await REQUEST_FORMS[way.request_form].address({ ...discovered, publish }, parameters)).href;
}

/** Undefined if the provider has no introspection, or not for this client (RFC 7662). */
async function introspect(
  { oidc, config }: DiscoveredProvider,
  accessToken: string,
  isConfidential: boolean,
): Promise<boolean | undefined> {
  // Introspection requires a client with a secret.
  if (config.serverMetadata().introspection_endpoint === undefined || !isConfidential) return undefined;
  return oidc.tokenIntrospection(config, accessToken, { token_type_hint: 'access_token' }).then(
    ({ active }) => active,
    (error: unknown) => (isUnavailable(error) ? Promise.reject(error) : undefined),
  );
}

/**
 * Whether the access token is still valid; undefined if unknown. Some providers report all tokens as inactive to clients that
 * may not introspect, so "inactive" counts only if userinfo does not accept the token either.
 */
export async function isActive(
  discovered: DiscoveredProvider,
  { accessToken, subject, isConfidential }: { accessToken: string; subject: string; isConfidential: boolean },
): Promise<boolean | undefined> {
  const { oidc, config, dpop } = discovered;
  const introspected = await introspect(discovered, accessToken, isConfidential);
  if (introspected === true || config.serverMetadata().userinfo_endpoint === undefined) return introspected;
  return oidc.fetchUserInfo(config, accessToken, subject, dpop && { DPoP: dpop }).then(
    () => true,
    (error: unknown) => {
      if (isUnavailable(error)) throw error;
      return isInvalidToken(error) ? false : undefined;
    },
  );
}

/** RFC 7009, if the provider supports it. */
export async function revokeToken({ oidc, config }: DiscoveredProvider, refreshToken: string): Promise<void> {
  if (config.serverMetadata().revocation_endpoint)
    await oidc.tokenRevocation(config, refreshToken, { token_type_hint: 'refresh_token' });
}

/** RP-Initiated Logout, to end the session at the provider too; undefined if the provider does not support it. */
export function endSessionUrl({ oidc, config }: DiscoveredProvider, idToken: string, back: string): string | undefined {
  const { issuer, end_session_endpoint: address } = config.serverMetadata();
  if (!isForBrowsers(address, issuer.startsWith('http:'))) return undefined;
  return oidc.buildEndSessionUrl(config, { id_token_hint: idToken, post_logout_redirect_uri: back }).href;
}
