// Access tokens of an issuer, for a pre-authorized code or an authorization code, with DPoP if the issuer supports it.
import { createPrivateKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import {
  type AuthorizationServerMetadata,
  getAuthorizationServerMetadataFromList,
  type RequestDpopOptions,
} from '@openid4vc/oauth2';
import {
  type CredentialOfferObject,
  determineAuthorizationServerForCredentialOffer,
  type IssuerMetadataResult,
  type Openid4vciClient,
} from '@openid4vc/openid4vci';
import { type PublicJwk, publicJwkOf, signWith } from '../../verifiable/jose/index.ts';
import { fail } from '../ground/faults.ts';
import { protocolError, upstreamFault, type WalletSigner, withUpstreamFaults } from '../protocols/index.ts';
import { type ClientMethod, methodsFor, tryMethods } from './client-authentication.ts';
import { grantOf, PRE_AUTHORIZED, txCodeOf } from './offer.ts';

export interface IssuerToken {
  readonly accessToken: string;
  readonly dpop: boolean;
  /** The last DPoP nonce of the issuer. */
  readonly dpopNonce?: string;
  readonly expiresAt?: number;
  readonly refreshToken?: string;
  /** The authorization server that issued it. */
  readonly server?: string;
  /** How the wallet authenticated. Missing where it did not. */
  readonly client?: ClientMethod;
  /** The nonce for key proofs, from issuers without a nonce endpoint. */
  readonly nonce?: string;
  /** Credential identifiers by configuration id (OID4VCI, 6.2). */
  readonly identifiers: Readonly<Record<string, readonly string[]>>;
}

/** A new key for each exchange, so that issuers cannot link exchanges. */
export function newDpopKey(): JsonWebKey {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
}

export function dpopSigner(jwk: JsonWebKey): WalletSigner {
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  return { algorithm: 'ES256', jwk: publicJwkOf(key), sign: (data) => signWith(key, 'ES256', data) };
}

export const dpopOptions = (jwk: PublicJwk, nonce?: string): RequestDpopOptions => ({
  signer: { method: 'jwk', alg: 'ES256', publicJwk: { ...jwk } as never },
  ...(nonce === undefined ? {} : { nonce }),
});

function identifiersOf(details: unknown): IssuerToken['identifiers'] {
  const found: Record<string, string[]> = Object.create(null);
  for (const one of Array.isArray(details) ? details : []) {
    const { type, credential_configuration_id: id, credential_identifiers: all } = (one ?? {}) as Record<string, unknown>;
    if (type !== 'openid_credential' || typeof id !== 'string' || !Array.isArray(all)) continue;
    found[id] = all.filter((identifier): identifier is string => typeof identifier === 'string').slice(0, 100);
  }
  return found;
}

interface TokenResult {
  readonly accessTokenResponse: Readonly<Record<string, unknown>> & { access_token: string };
  readonly dpop?: RequestDpopOptions;
  readonly authorizationServer?: string;
}

export function tokenOf(
  { accessTokenResponse: answer, dpop, authorizationServer: server }: TokenResult,
  now: number,
): IssuerToken {
  const {
    access_token: accessToken,
    token_type: type,
    expires_in: lasts,
    refresh_token: refresh,
    authorization_details: details,
    c_nonce: nonce,
  } = answer;
  const kind = String(type).toLowerCase();
  // Other token types must not be used (RFC 6749, 7.1).
  if (kind !== 'bearer' && kind !== 'dpop') fail('upstream-error', { who: 'issuer', why: 'token: its type is not known' });
  return {
    accessToken,
    // The issuer decides whether the token is bound, whatever we sent.
    dpop: kind === 'dpop',
    ...(dpop?.nonce === undefined ? {} : { dpopNonce: dpop.nonce }),
    ...(typeof lasts === 'number' ? { expiresAt: now + lasts * 1000 } : {}),
    ...(typeof refresh === 'string' ? { refreshToken: refresh } : {}),
    ...(typeof nonce === 'string' ? { nonce } : {}),
    ...(server === undefined ? {} : { server }),
    identifiers: identifiersOf(details),
  };
}

/** The authorization server for the grant of the offer. */
export function serverOf(metadata: IssuerMetadataResult, offer: CredentialOfferObject): AuthorizationServerMetadata {
  const { authorization_server: named } =
    (grantOf(offer) === 'authorization_code' ? offer.grants?.authorization_code : offer.grants?.[PRE_AUTHORIZED]) ?? {};
  const issuer = determineAuthorizationServerForCredentialOffer({
    issuerMetadata: metadata,
    ...(named === undefined ? {} : { grantAuthorizationServer: named }),
  });
  return getAuthorizationServerMetadataFromList(metadata.authorizationServers, issuer);
}

export function supportsDpop(metadata: IssuerMetadataResult, offer: CredentialOfferObject): boolean {
  const { dpop_signing_alg_values_supported: all } = serverOf(metadata, offer);
  return (all as readonly string[] | undefined)?.includes('ES256') ?? false;
}

/** Uses DPoP if it is advertised. If the server requires it without advertising it, the request is repeated with DPoP. */
async function withDpop(
  { metadata, offer, dpopJwk: jwk }: Pick<TokenRequest, 'metadata' | 'offer' | 'dpopJwk'>,
  ask: (dpop?: RequestDpopOptions) => Promise<TokenResult>,
): Promise<TokenResult> {
  if (supportsDpop(metadata, offer)) return ask(dpopOptions(jwk));
  try {
    return await ask();
  } catch (error) {
    if (protocolError(error)?.error !== 'invalid_dpop_proof') throw error;
    return ask(dpopOptions(jwk));
  }
}

export interface TokenRequest {
  /** By a method of authentication. */
  client(method: ClientMethod): Openid4vciClient;
  readonly metadata: IssuerMetadataResult;
  readonly offer: CredentialOfferObject;
  readonly dpopJwk: PublicJwk;
  readonly now: number;
}

export async function redeemOffer(
  { client, metadata, offer, dpopJwk, now }: TokenRequest,
  txCode: string | undefined,
): Promise<IssuerToken> {
  try {
    const { method, result } = await tryMethods(methodsFor(serverOf(metadata, offer), true), (method) =>
      withDpop(
        { metadata, offer, dpopJwk },
        (dpop) =>
          client(method).retrievePreAuthorizedCodeAccessTokenFromOffer({
            credentialOffer: offer,
            issuerMetadata: metadata,
            ...(txCode === undefined ? {} : { txCode }),
            ...(dpop ? { dpop } : {}),
          }) as Promise<TokenResult>,
      ),
    );
    return { ...tokenOf(result, now), ...(method === 'none' ? {} : { client: method }) };
  } catch (error) {
    const oauthError = protocolError(error);
    const detail = oauthError ? { protocol: { ...oauthError, endpoint: 'token' } } : {};
    // The caller can correct a wrong transaction code, but not a redeemed code.
    if (oauthError?.error === 'invalid_grant') {
      if (txCodeOf(offer)) fail('tx-code-rejected', undefined, { detail });
      fail('offer-spent', undefined, { detail });
    }
    throw upstreamFault(error, 'issuer', 'token');
  }
}

export async function redeemCode(
  { client, metadata, offer, dpopJwk, now }: TokenRequest,
  {
    code,
    verifier,
    redirectUri,
    clientId,
    pushedBy,
  }: {
    code: string;
    verifier: string | undefined;
    redirectUri: string;
    clientId: string;
    /** How the wallet authenticated when it pushed the request. */
    pushedBy: ClientMethod | undefined;
  },
): Promise<IssuerToken> {
  return withUpstreamFaults('issuer', 'token', async () => {
    const methods = pushedBy === undefined ? methodsFor(serverOf(metadata, offer), false) : [pushedBy];
    const { method, result } = await tryMethods(methods, (method) =>
      withDpop(
        { metadata, offer, dpopJwk },
        (dpop) =>
          client(method).retrieveAuthorizationCodeAccessTokenFromOffer({
            credentialOffer: offer,
            issuerMetadata: metadata,
            authorizationCode: code,
            redirectUri,
            additionalRequestPayload: { client_id: clientId },
            ...(verifier === undefined ? {} : { pkceCodeVerifier: verifier }),
            ...(dpop ? { dpop } : {}),
          }) as Promise<TokenResult>,
      ),
    );
    return { ...tokenOf(result, now), ...(method === 'none' ? {} : { client: method }) };
  });
}
