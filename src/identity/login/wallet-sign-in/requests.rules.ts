// Requests to wallets: made, signed and stored when a person chooses to sign in with one (OID4VP 1.0, 5).
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { CreateOpenid4vpAuthorizationRequestOptions } from '@openid4vc/openid4vp';
import type { Clock } from '../../../platform/clock.ts';
import { newSecret } from '../../../platform/ids.ts';
import { READ_FORMATS, supportedFormats } from '../../../verifiable/formats/index.ts';
import { decodeJws } from '../../../verifiable/jose/index.ts';
import {
  REQUEST,
  type RequestSigner,
  type StoredRequest,
  type VerifierIdentity,
  WALLET_SECONDS,
  type WalletDevice,
  type WalletRecords,
  type WalletRequests,
  type WalletSituation,
} from './data.ts';
import { loadVerifier } from './library.ts';
import type { WalletPlace } from './policy.ts';
import type { WalletQuery } from './query.ts';

/** How the service names itself to wallets. */
export type ClientIdKind = 'x509_hash' | 'x509_san_dns' | 'did';

export interface WalletRequestDeps {
  readonly clock: Clock;
  readonly records: WalletRecords;
  readonly identity: Pick<VerifierIdentity, 'id' | 'did' | 'sign'>;
  readonly requestSigner: RequestSigner;
  readonly config: {
    readonly walletClientId: ClientIdKind;
    readonly walletLink: string;
    readonly haip: boolean;
  };
  /** What is asked for; undefined when nothing could be shown. */
  query(place: WalletPlace): Promise<WalletQuery | undefined>;
}

/** Wallets do not know who will receive the request (OID4VP 1.0, 5.8). */
const ANY_WALLET = 'https://self-issued.me/v2';
export const CONTENT_ENCRYPTION = ['A256GCM', 'A128GCM'];
/** The key may be replaced between reading its chain and signing. */
const TRIES = 3;

export const requestPath = (id: string): string => `/openid/wallet/requests/${id}`;
export const answerPath = (id: string): string => `${requestPath(id)}/answer`;
export const responsePath = (code: string): string => `/openid/wallet/answers/${code}`;

interface EncryptionKey {
  readonly secret: Readonly<Record<string, unknown>>;
  readonly shared: Readonly<Record<string, unknown>>;
}

/** One for each request: an answer to one cannot be read as an answer to another. */
function newEncryptionKey(): EncryptionKey {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const about = { kid: randomBytes(8).toString('base64url'), use: 'enc', alg: 'ECDH-ES' };
  return {
    secret: { ...pair.privateKey.export({ format: 'jwk' }), ...about },
    shared: { ...pair.publicKey.export({ format: 'jwk' }), ...about },
  };
}

const TYP = 'oauth-authz-req+jwt';

export function createWalletRequests({ clock, records, identity, requestSigner, config, query }: WalletRequestDeps) {
  const signBy = (by: 'did' | 'x5c', payload: Readonly<Record<string, unknown>>): Promise<string> =>
    by === 'did' ? identity.sign(payload, { typ: TYP, by }) : requestSigner.sign(payload, { typ: TYP });

  async function clientIdOf(leaf: string | undefined): Promise<string> {
    switch (config.walletClientId) {
      case 'x509_hash':
        return `x509_hash:${createHash('sha256').update(Buffer.from(leaf!, 'base64')).digest('base64url')}`;
      case 'x509_san_dns':
        return `x509_san_dns:${new URL(identity.id()).hostname}`;
      case 'did':
        return `decentralized_identifier:${identity.did()}`;
    }
  }

  function payloadOf(id: string, clientId: string, { dcql }: WalletQuery, { shared }: EncryptionKey): Record<string, unknown> {
    return {
      response_type: 'vp_token',
      response_mode: 'direct_post.jwt',
      client_id: clientId,
      response_uri: identity.id() + answerPath(id),
      nonce: newSecret(),
      state: newSecret(),
      dcql_query: dcql,
      client_metadata: {
        jwks: { keys: [shared] },
        encrypted_response_enc_values_supported: CONTENT_ENCRYPTION,
        vp_formats_supported: supportedFormats(READ_FORMATS),
      },
    };
  }

  /** Wallets may then send a nonce of their own; those that cannot get the request all the same (5.10). */
  const withMethod = (link: string): string => (config.haip ? `${link}&request_uri_method=post` : link);

  /** The library builds the request; our key signs it. */
  async function sign(id: string, wanted: WalletQuery, key: EncryptionKey) {
    const by = config.walletClientId === 'did' ? 'did' : 'x5c';
    const verifier = await loadVerifier({
      signJwt: async (_signer, { payload }) => ({
        jwt: await signBy(by, payload),
        signerJwk: { kty: 'EC' },
      }),
    });
    for (let tries = 1; ; tries++) {
      const x5c = by === 'did' ? [] : [...(await requestSigner.chain())];
      const asked = payloadOf(id, await clientIdOf(x5c[0]), wanted, key);
      const { authorizationRequest, jar } = await verifier.createOpenId4vpAuthorizationRequest({
        scheme: config.walletLink,
        authorizationRequestPayload: asked as CreateOpenid4vpAuthorizationRequestOptions['authorizationRequestPayload'],
        jar: {
          requestUri: identity.id() + requestPath(id),
          jwtSigner:
            by === 'did'
              ? { method: 'did', alg: 'ES256', didUrl: `${identity.did()}#key` }
              : { method: 'x5c', alg: 'ES256', x5c },
          expiresInSeconds: WALLET_SECONDS,
          additionalJwtPayload: {
            aud: ANY_WALLET,
            iat: Math.floor(clock.now() / 1000),
            exp: Math.floor(clock.now() / 1000) + WALLET_SECONDS,
          },
        },
      });
      const jwt = jar!.authorizationRequestJwt;
      const signedBy = decodeJws(jwt).header.x5c as readonly string[] | undefined;
      if (by === 'did' || signedBy?.[0] === x5c[0] || tries === TRIES)
        return { link: withMethod(authorizationRequest), jwt, asked };
    }
  }

  async function make(situation: WalletSituation, device: WalletDevice, wanted: WalletQuery) {
    const id = randomBytes(16).toString('base64url');
    const key = newEncryptionKey();
    const { link, jwt, asked } = await sign(id, wanted, key);
    const { sources } = wanted;
    const stored: StoredRequest = { ...situation, device, jwt, asked, sources, key: key.secret, at: clock.now() };
    await records.save(REQUEST, id, stored, WALLET_SECONDS, true);
    return { id, link };
  }

  return {
    /** Two requests, because an answer counts for the device that it was asked for on. Undefined when there is nothing to ask for. */
    async begin(situation: WalletSituation): Promise<WalletRequests | undefined> {
      const wanted = await query(situation.place);
      if (!wanted) return undefined;
      const at = clock.now();
      const [same, other] = [await make(situation, 'same', wanted), await make(situation, 'other', wanted)];
      return { place: situation.place, same, other, at };
    },

    /** They are not asked for any more: nobody can answer them. False when others forgot them, or they have ended. */
    async forget({ same, other }: WalletRequests): Promise<boolean> {
      const isFirst = await records.destroy(REQUEST, same.id);
      await records.destroy(REQUEST, other.id);
      return isFirst;
    },

    /** The signed request. Undefined when there is none, or when it was too long ago. */
    async find(id: string): Promise<string | undefined> {
      return ((await records.find(REQUEST, id)) as StoredRequest | undefined)?.jwt;
    },

    /** The same, signed again with what the wallet sent, so that it knows that it was made for it (5.10.1). */
    async findFor(id: string, walletNonce: string): Promise<string | undefined> {
      const stored = (await records.find(REQUEST, id)) as StoredRequest | undefined;
      if (!stored) return undefined;
      const { header, payload } = decodeJws(stored.jwt);
      const by = header.x5c === undefined ? 'did' : 'x5c';
      const jwt = await signBy(by, { ...payload, wallet_nonce: walletNonce });
      // With a key that has replaced that of the request: its certificate is not the one that the client id names.
      const leafOf = ({ x5c }: Readonly<Record<string, unknown>>): unknown => (x5c as readonly string[] | undefined)?.[0];
      return leafOf(decodeJws(jwt).header) === leafOf(header) ? jwt : undefined;
    },
  };
}

export type WalletRequestRules = ReturnType<typeof createWalletRequests>;
