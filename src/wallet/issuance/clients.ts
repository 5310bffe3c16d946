// Creates clients of the OID4VCI library, each with its signing key and the restricted HTTP client.
import { type CallbackContext, Oauth2Client } from '@openid4vc/oauth2';
import type { IssuerMetadataResult, Openid4vciClient } from '@openid4vc/openid4vci';
import type { Clock } from '../../platform/clock.ts';
import { OutboundError } from '../../platform/outbound/index.ts';
import type { Attester } from '../attester/index.ts';
import type { createCallbacks, WalletSigner } from '../protocols/index.ts';
import { type ClientMethod, clientAuthentication } from './client-authentication.ts';
import type { IssuanceData } from './data.ts';
import type { AuthorizedClient } from './endpoint.ts';
import { withIssuerSlash } from './issuer-slash.ts';
import { dpopOptions, dpopSigner } from './token.ts';
import { withoutUnknownFormats } from './unknown-formats.ts';

const MAX_CALLS = 16;
const MAX_MS = 20_000;

/** The wallet as a client of authorization servers. */
export interface WalletIdentity {
  readonly clientId: string;
  readonly redirectUri: string;
}

/** Whether a browser may be redirected there: over https, or to a host where plain http is allowed. */
export type CanRedirectTo = (url: URL) => boolean;

/** Limits calls and time, because metadata can refer to further addresses. */
function bounded(callbacks: CallbackContext): CallbackContext {
  let left = MAX_CALLS;
  const signal = AbortSignal.timeout(MAX_MS);
  return {
    ...callbacks,
    fetch: async (input, init) => {
      if (left-- <= 0) throw new OutboundError('failed', 'the metadata names too many servers');
      return callbacks.fetch!(input, { ...init, signal } as typeof init);
    },
  };
}

export interface ClientDeps {
  readonly clock: Clock;
  readonly attester: Attester;
  readonly callbacksFor: ReturnType<typeof createCallbacks>;
  readonly identity: () => WalletIdentity;
  readonly canRedirectTo: CanRedirectTo;
}

/** Loads the library. */
export async function createClients({ clock, attester, callbacksFor, identity, canRedirectTo }: ClientDeps) {
  const { Openid4vciClient: Client, setGlobalConfig } = await import('@openid4vc/openid4vci');
  // The restricted HTTP client decides about plain http for every call.
  setGlobalConfig({ allowInsecureUrls: true });
  const clientWith = (callbacks: CallbackContext): Openid4vciClient => new Client({ callbacks });
  const authentication = { clock, attester, clientId: () => identity().clientId };
  /** `signer` signs DPoP proofs, and those of the attestation. */
  const callbacksAs = (signer: WalletSigner, method: ClientMethod = 'none'): CallbackContext => {
    const callbacks = callbacksFor(signer);
    return { ...callbacks, clientAuthentication: clientAuthentication(authentication, method, signer, callbacks.fetch!) };
  };
  return {
    /** `issuer`: whose metadata are read. */
    plain: (issuer?: string) => clientWith(withoutUnknownFormats(withIssuerSlash(bounded(callbacksFor()), issuer))),
    signing: (signer: WalletSigner) => clientWith(callbacksFor(signer)),
    /** For token requests. */
    authenticating: (signer: WalletSigner, method: ClientMethod) => clientWith(callbacksAs(signer, method)),
    oauth: (signer: WalletSigner, method: ClientMethod) => new Oauth2Client({ callbacks: callbacksAs(signer, method) }),
    /** With the token of an exchange and its DPoP key. */
    authorized({ dpopKey, token }: Pick<IssuanceData, 'dpopKey' | 'token'>, metadata: IssuerMetadataResult): AuthorizedClient {
      const signer = dpopSigner(dpopKey);
      const callbacks = callbacksAs(signer, token!.client);
      return {
        client: clientWith(callbacks),
        callbacks,
        metadata,
        token: token!,
        dpop: dpopOptions(signer.jwk, token!.dpopNonce),
      };
    },
    identity,
    canRedirectTo,
  };
}

export type Clients = Awaited<ReturnType<typeof createClients>>;
