// Wallets that authenticate by an attestation of their provider (OAuth 2.0 Attestation-Based Client Authentication; OID4VCI, appendix E).
// The library verifies the attestation and the proof that goes with it: who signed the attestation is decided here.
import { hkdfSync } from 'node:crypto';
import type { ClientMetadata, KoaContextWithOIDC } from 'oidc-provider';
import { AttestationError, type WalletProviders } from '../../applications/wallet-providers/index.ts';
import { walletClient } from '../first-party-clients/index.ts';
import type { Keyring } from './keys.ts';
import type { OidcProviderLibrary } from './library.ts';

export const ATTESTED = 'attest_jwt_client_auth';
/** Clients without a secret that they share with us: their requests need PKCE. */
export const KEYLESS: readonly string[] = ['none', ATTESTED];
/** ES256 is what HAIP asks for; EdDSA is common beside it. */
export const ATTESTATION_ALGORITHMS = ['ES256', 'ES384', 'EdDSA'] as const;
/** Clocks of wallets differ (FAPI 2.0, 5.3.2.1). */
const AHEAD_SECONDS = 60;
const POP_SECONDS = 300;
const POP_HEADER = 'oauth-client-attestation-pop';

interface VerifiedJwt {
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A wallet of a provider, as a client. It may refresh what it received (HAIP 1.0, 4.4). */
export function attestedClient(providers: WalletProviders, id: string, isStrict: boolean): ClientMetadata | undefined {
  const wallet = providers.wallet(id);
  if (!wallet) return undefined;
  const client = walletClient(id, wallet.name, wallet.redirectUris, isStrict);
  return {
    ...client,
    token_endpoint_auth_method: ATTESTED,
    // Only what was pushed can be bound to the one who pushed it.
    require_pushed_authorization_requests: true,
    grant_types: [...client.grant_types!, ...(wallet.redirectUris.length > 0 ? ['refresh_token'] : [])],
  };
}

/**
 * The library binds a code to the wallet that pushed its request only if nobody has to sign in: it forgets the pushed request while they do.
 * Parameters are kept, so the binding is one of them, whatever the wallet calls itself there.
 */
const BINDING = 'attestation_jkt';

export const attestationParameter = {
  [BINDING]: ({ oidc }: KoaContextWithOIDC): void => {
    const { attestationJkt } = (oidc.entities.PushedAuthorizationRequest ?? {}) as { attestationJkt?: string };
    Object.assign(oidc.params!, { [BINDING]: attestationJkt });
  },
};

/** Binds a code as its request was. */
export function bindCode({ oidc }: KoaContextWithOIDC, code: object): void {
  const attestationJkt = oidc.params?.[BINDING];
  if (oidc.client?.clientAuthMethod === ATTESTED && typeof attestationJkt === 'string') Object.assign(code, { attestationJkt });
}

/** Secrets of challenges: the same on all replicas, and others when the keys are replaced. */
const secretOf = (keys: Keyring, purpose: string): Buffer => Buffer.from(hkdfSync('sha256', keys.cookies[0]!, '', purpose, 32));

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** What the library leaves open: when it was made, and by whom it says it was. */
function checkClaims(attestation: VerifiedJwt, pop: VerifiedJwt, clientId: string, now: number): string | undefined {
  if (!isTime(attestation.payload.iat) || attestation.payload.iat > now + AHEAD_SECONDS)
    return 'the attestation is of the future';
  const { iat, iss } = pop.payload;
  if (!isTime(iat) || iat > now + AHEAD_SECONDS || iat < now - POP_SECONDS) return 'the proof of the attestation is not of now';
  return iss !== undefined && iss !== clientId ? 'the proof of the attestation is of another client' : undefined;
}

/** Undefined without providers: then nothing of this exists. */
export function attestationFeatures({ errors }: OidcProviderLibrary, keys: Keyring, providers: WalletProviders) {
  if (!providers.isKnown) return undefined;
  return {
    // The proofs of wallets may have a nonce of ours, too.
    dPoP: { enabled: true, nonceSecret: secretOf(keys, 'dpop nonces') },
    attestClientAuth: {
      enabled: true,
      ack: 'draft-12',
      challengeSecret: secretOf(keys, 'attestation challenges'),
      async getAttestationSignaturePublicKey(
        _ctx: KoaContextWithOIDC,
        header: Readonly<Record<string, unknown>>,
        _payload: unknown,
        client: { readonly clientId: string },
      ) {
        try {
          return providers.keyForWallet(header, client.clientId);
        } catch (error) {
          if (error instanceof AttestationError) throw new errors.InvalidClientAuth(error.message);
          throw error;
        }
      },
      async assertAttestationJwtAndPop(
        _ctx: KoaContextWithOIDC,
        attestation: VerifiedJwt,
        pop: VerifiedJwt,
        client: { readonly clientId: string },
      ) {
        const why = checkClaims(attestation, pop, client.clientId, Math.floor(Date.now() / 1000));
        if (why !== undefined) throw new errors.InvalidClientAuth(why);
      },
    },
  };
}

/** The error for a proof that comes again: of the attestation, or of DPoP. The library checks them in this order. */
export function replayErrorOf({ default: Provider, errors }: OidcProviderLibrary): Error {
  const { ctx } = Provider as unknown as { ctx?: KoaContextWithOIDC };
  const isOfAttestation =
    ctx?.headers[POP_HEADER] !== undefined && (ctx.oidc as { clientAttestation?: unknown }).clientAttestation === undefined;
  return isOfAttestation
    ? new errors.InvalidClientAuth('the proof of the attestation was used before')
    : new errors.InvalidDpopProof('DPoP proof JWT Replay detected');
}
