// POST /openid/introspect (RFC 7662). Our own implementation: proxies call it often, and that of the library is ten times slower.
import { Answer } from '../../../platform/http/index.ts';
import { fail } from '../../ground/faults.ts';
import type { AuthenticatedClient, Authenticator, ClientRequest } from '../client-authentication/index.ts';
import { INTROSPECTION } from '../paths/index.ts';
import type { AccessTokens, VerifiedAccessToken } from './access-tokens.ts';
import type { ApiTokens } from './api-tokens.ts';
import {
  asksForSigned,
  createSignedIntrospection,
  SIGNED_INTROSPECTION,
  type SignedIntrospectionDeps,
} from './signed-introspection.ts';

const JSON_INACTIVE = '{"active":false}';

export interface IntrospectionDeps extends SignedIntrospectionDeps {
  readonly accessTokens: AccessTokens;
  readonly apiTokens: ApiTokens;
  readonly authenticator: Authenticator;
}

export function createIntrospection(deps: IntrospectionDeps) {
  const { accessTokens, apiTokens, authenticator } = deps;
  const sign = createSignedIntrospection(deps);
  const replyCache = new WeakMap<VerifiedAccessToken, string>();

  /** A refresh token is only active for the application it was issued to. */
  async function introspectRefreshToken(token: string, client: AuthenticatedClient): Promise<string> {
    const found = await accessTokens.verifyRefresh(token);
    return found?.clientId === client.id ? renderToken(found) : JSON_INACTIVE;
  }

  /** `type`: how the token is presented to a resource server. A refresh token has none. */
  function renderToken(token: VerifiedAccessToken, type?: 'Bearer' | 'DPoP'): string {
    const text = JSON.stringify({
      active: true,
      client_id: token.clientId,
      ...(token.scope === '' ? {} : { scope: token.scope }),
      ...(token.user ? { sub: token.user.id } : {}),
      ...(token.username === undefined ? {} : { username: token.username }),
      iss: deps.issuer(),
      iat: token.issuedAt,
      exp: token.expiresAt,
      ...(type === undefined ? {} : { token_type: type }),
      ...(token.confirmation === undefined ? {} : { cnf: token.confirmation }),
    });
    replyCache.set(token, text);
    return text;
  }

  /** A token for an API is active for the application of that API only. A public one could be anybody. */
  async function introspectApiToken(token: string, client: AuthenticatedClient): Promise<string | undefined> {
    const found = client.seesOwnOnly ? undefined : await apiTokens.known(token);
    if (found?.api.applicationId !== client.id) return undefined;
    const { clientId, userId, scopes, issuedAt, expiresAt, confirmation, actor } = found;
    return JSON.stringify({
      active: true,
      client_id: clientId,
      ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
      sub: userId ?? clientId,
      aud: found.api.identifier,
      iss: deps.issuer(),
      iat: issuedAt,
      exp: expiresAt,
      token_type: confirmation?.jkt === undefined ? 'Bearer' : 'DPoP',
      ...(confirmation === undefined ? {} : { cnf: confirmation }),
      ...(actor === undefined ? {} : { act: actor }),
    });
  }

  /** As JSON. */
  async function introspect(client: AuthenticatedClient, token: string): Promise<string> {
    // A JWT. The others have no dot.
    if (token.includes('.')) return (await introspectApiToken(token, client)) ?? JSON_INACTIVE;
    const found = await accessTokens.verify(token);
    if (!found) return (await introspectApiToken(token, client)) ?? introspectRefreshToken(token, client);
    if (client.seesOwnOnly && found.clientId !== client.id) return JSON_INACTIVE;
    return replyCache.get(found) ?? renderToken(found, found.confirmation && 'jkt' in found.confirmation ? 'DPoP' : 'Bearer');
  }

  return async (request: ClientRequest, token: string): Promise<Answer> => {
    const client = await authenticator(request, INTROSPECTION);
    if (!client) fail('oauth.invalid_client', undefined, { headers: { 'WWW-Authenticate': 'Basic realm="openid"' } });
    const isSigned = asksForSigned(request.raw.headers.accept);
    if (client.mustBeSigned && !isSigned) fail('oauth.must_be_signed', { type: SIGNED_INTROSPECTION });
    const text = await introspect(client, token);
    if (!isSigned) return new Answer({ text });
    return new Answer({
      text: await sign(text, client.id, client.signedBy),
      headers: { 'Content-Type': SIGNED_INTROSPECTION },
    });
  };
}

export type Introspect = ReturnType<typeof createIntrospection>;
