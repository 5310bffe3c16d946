// The node as the provider of its wallets: it says of a wallet that it is one of its own (OAuth 2.0 Attestation-Based Client Authentication; OID4VCI,
// appendix E), and of keys how they are stored (appendix D). Its key is one of the node's, with a certificate that is brought or made for development.
import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { type Clock, seconds } from '../../platform/clock.ts';
import { takeAdvisoryLock } from '../../platform/database/index.ts';
import { newId } from '../../platform/ids.ts';
import { type PublicJwk, signJws, signWith } from '../../verifiable/jose/index.ts';
import { alternativeNamesOf, type BroughtChain, loadCertificateMaking, type Period } from '../../verifiable/trust/index.ts';
import { NODE, type RunWalletChange, theNode } from '../access/index.ts';
import type { AttesterCertificateRow, Database, KeyRow } from '../ground/database.ts';
import type { Keys } from '../keys/index.ts';
import { findCertificate, replaceCertificate } from './attester.store.ts';

/** Among the keys of the node. */
const ATTESTER = 'attester';
const AUTHORITY = 'attester-authority';
const CLIENT = 'client';

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;
/** Each attestation is made for the request that it goes with. */
const LIFE = 5 * MINUTE;
const LEAF_SECONDS = 398 * DAY;
const AUTHORITY_SECONDS = 20 * 365 * DAY;
const RENEW_SECONDS = 60 * DAY;
/** Clocks differ. */
const EARLIER = 60 * MINUTE;
/** Signing documents of any kind (RFC 9336): attestations are documents. */
const DOCUMENT_SIGNING = '1.3.6.1.5.5.7.3.36';

export interface AttesterDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly change: RunWalletChange;
  readonly keys: Pick<Keys, 'ofNode' | 'sign'>;
  readonly brought: BroughtChain | undefined;
  /** What it says of keys in the device. */
  readonly device: { readonly keyStorage: readonly string[]; readonly userAuthentication: readonly string[] };
  /** Public address of the node. */
  publicUrl(): string;
  /** The wallet at authorization servers. */
  clientId(): string;
}

/** What is signed as the provider. */
interface Signing {
  readonly kid: string;
  readonly jwk: PublicJwk;
  /** Leaf first, without the root: DER in base64. */
  readonly chain: readonly string[];
  /** Of the development CA, in PEM. */
  readonly root: string | undefined;
  sign(data: Buffer): Promise<Buffer>;
}

const jwkOf = ({ public_jwk: text }: KeyRow): PublicJwk => JSON.parse(text) as PublicJwk;
const publicKeyOf = (row: KeyRow): KeyObject => createPublicKey({ key: jwkOf(row) as never, format: 'jwk' });
const certificateOf = ({ certificate }: AttesterCertificateRow): X509Certificate =>
  new X509Certificate(Buffer.from(certificate, 'base64'));

export function createAttester(deps: AttesterDeps) {
  const { db, clock, change, keys, brought, device, publicUrl, clientId } = deps;
  const now = (): number => seconds(clock);
  /** Unless it ends soon, is for another address, or is below another authority. */
  function isUsable(row: AttesterCertificateRow | undefined, by: KeyObject): row is AttesterCertificateRow {
    if (row === undefined || row.expires_at <= now() + RENEW_SECONDS) return false;
    const certificate = certificateOf(row);
    return certificate.verify(by) && (certificate.ca || alternativeNamesOf(certificate).uris.includes(publicUrl()));
  }

  /** Of a key of the node, signed by this key; made if there is none. Processes wait for each other. */
  async function certificateFor(
    key: KeyRow,
    by: KeyObject,
    lifetime: number,
    make: (period: Period) => Promise<X509Certificate>,
  ): Promise<AttesterCertificateRow> {
    const found = await findCertificate(db.read, key.kid);
    if (isUsable(found, by)) return found;
    const [created_at, expires_at] = [now(), now() + lifetime];
    const certificate = await make({ from: created_at - EARLIER, until: expires_at });
    const row = { kid: key.kid, certificate: certificate.raw.toString('base64'), created_at, expires_at };
    return change(theNode, NODE, async ({ tx, audit }) => {
      await takeAdvisoryLock(db, tx, 'attester');
      const first = await findCertificate(tx, key.kid);
      audit('key.certified', { kind: 'key', id: key.id });
      if (isUsable(first, by)) return first;
      await replaceCertificate(tx, row);
      return row;
    });
  }

  const signerOf =
    ({ id }: KeyRow) =>
    (data: Buffer): Promise<Buffer> =>
      keys.sign(NODE, id, data);

  async function madeHere(): Promise<Signing> {
    const [authorityKey, key] = [await keys.ofNode(AUTHORITY), await keys.ofNode(ATTESTER)];
    const { makeAuthority, makeLeaf } = await loadCertificateMaking();
    const signer = { key: publicKeyOf(authorityKey), sign: signerOf(authorityKey) };
    const root = await certificateFor(authorityKey, signer.key, AUTHORITY_SECONDS, (period) =>
      makeAuthority(signer, 'Gatehouse wallet', period),
    );
    const leaf = await certificateFor(key, signer.key, LEAF_SECONDS, (period) => {
      const draft = { key: publicKeyOf(key), address: publicUrl(), usages: [DOCUMENT_SIGNING] };
      return makeLeaf({ certificate: certificateOf(root), ...signer }, draft, period);
    });
    return {
      kid: key.kid,
      jwk: jwkOf(key),
      chain: [leaf.certificate],
      root: certificateOf(root).toString(),
      sign: signerOf(key),
    };
  }

  const signing = async (): Promise<Signing> =>
    brought
      ? {
          kid: brought.id,
          jwk: brought.publicKey,
          chain: brought.chain,
          root: undefined,
          sign: (data) => signWith(brought.key, 'ES256', data),
        }
      : madeHere();

  async function attest(typ: string, claims: Readonly<Record<string, unknown>>): Promise<string> {
    const { chain, sign } = await signing();
    const iat = now();
    return signJws({ alg: 'ES256', typ, x5c: chain }, { iss: publicUrl(), iat, exp: iat + LIFE, ...claims }, sign);
  }

  return {
    /** That the wallet which has this key is one of this node. */
    attestWallet: (key: PublicJwk): Promise<string> =>
      attest('oauth-client-attestation+jwt', { sub: clientId(), cnf: { jwk: key } }),

    /** That these keys are in the device of the node. The caller has seen to it. */
    attestKeys: (attested: readonly PublicJwk[], nonce: string | undefined): Promise<string> =>
      attest('key-attestation+jwt', {
        attested_keys: attested,
        ...(device.keyStorage.length > 0 ? { key_storage: device.keyStorage } : {}),
        ...(device.userAuthentication.length > 0 ? { user_authentication: device.userAuthentication } : {}),
        ...(nonce === undefined ? {} : { nonce }),
      }),

    /** Whether it can say of its keys what an issuer wants to hear (OID4VCI, 12.2.4). */
    satisfies({ key_storage: storage, user_authentication: user }: Readonly<Record<string, unknown>>): boolean {
      const hasOneOf = (said: readonly string[], wanted: unknown): boolean =>
        wanted === undefined || (Array.isArray(wanted) && wanted.some((one) => said.includes(one as string)));
      return hasOneOf(device.keyStorage, storage) && hasOneOf(device.userAuthentication, user);
    },

    /** The wallet authenticates by a key that it is registered with (RFC 7523; OpenID Connect Core, 9). */
    async clientAssertion(audience: string): Promise<string> {
      const key = await keys.ofNode(CLIENT);
      const [iat, id] = [now(), clientId()];
      const claims = { iss: id, sub: id, aud: audience, jti: newId(), iat, exp: iat + MINUTE };
      return signJws({ alg: 'ES256', typ: 'JWT', kid: key.kid }, claims, signerOf(key));
    },

    /** What operators of issuers have to know of it. */
    async shown() {
      const { kid, jwk, chain, root } = await signing();
      return {
        name: new URL(publicUrl()).host,
        jwks: { keys: [{ ...jwk, kid, alg: 'ES256', use: 'sig' }] },
        chain: [...chain],
        root,
      };
    },

    /** The keys by which the wallet authenticates as a registered client. */
    async clientKeys() {
      const key = await keys.ofNode(CLIENT);
      return { keys: [{ ...jwkOf(key), kid: key.kid, alg: 'ES256', use: 'sig' }] };
    },
  };
}

export type Attester = ReturnType<typeof createAttester>;
