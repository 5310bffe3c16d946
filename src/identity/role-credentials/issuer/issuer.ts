// The identity with which this service signs credentials, status lists and requests to wallets.
import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { signJws, signWith } from '../../../verifiable/jose/index.ts';
import { didWebOf } from '../../../verifiable/resolver/index.ts';
import type { CertificatePeriod } from '../../../verifiable/trust/index.ts';
import type { IssuerKeysDeps, IssuerPublicKey } from './key-material.ts';
import { createIssuerKeys } from './keys.ts';

/** How a signature names its key: by the certificate chain, by the DID, or by the id of the key among those of the issuer. */
export type NamedBy = 'x5c' | 'did' | 'kid';

export interface IssuerIdentity {
  /** The address of the issuer. */
  id(): string;
  /** Its did:web; undefined unless the address is https with the name of a host and no path. */
  did(): string | undefined;
  /** The chain of the active key, leaf first (DER in base64), without the root. */
  chain(): Promise<readonly string[]>;
  /** When the chain is valid. What is signed with `x5c` should say no time outside of it. */
  chainPeriod(): Promise<CertificatePeriod>;
  /** A compact JWS by the active key. With `did`, a DID must be there. */
  sign(
    payload: Readonly<Record<string, unknown>>,
    header: { readonly typ: string; readonly by: NamedBy } & Readonly<Record<string, unknown>>,
  ): Promise<string>;
  /** The same for bytes, with the chain of the key that signed. */
  signBytes(data: Buffer): Promise<{ readonly signature: Buffer; readonly chain: readonly string[] }>;
  /** Whether the chain is one for mobile documents. */
  signsDocuments(): Promise<boolean>;
  /** Every published key: the active one, those announced, and those whose signatures may still be checked. */
  publicKeys(): Promise<readonly IssuerPublicKey[]>;
  /** The root that peers must trust, in PEM: that of the development CA. Undefined if a chain was brought. */
  anchor(): Promise<string | undefined>;
}

/** How wallets know credentials, and requests to wallets, that this service signed. */
export interface KnownSigner {
  readonly issuer: string;
  readonly did: string | undefined;
  certificates(): Promise<readonly X509Certificate[]>;
}

interface KnownCertificates {
  readonly certificates: readonly X509Certificate[];
}

/** Undefined unless it is https with the name of a host and no path. */
export function didOf(issuer: string): string | undefined {
  const { protocol, hostname, host, pathname } = new URL(issuer);
  if (protocol !== 'https:' || pathname !== '/' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return undefined;
  return didWebOf(host);
}

export function createIssuerIdentity(deps: IssuerKeysDeps) {
  const keys = createIssuerKeys(deps);
  const { issuer } = deps;
  const did = (): string | undefined => didOf(issuer());

  const identity: IssuerIdentity = {
    id: issuer,
    did,
    chain: async () => (await keys.ring()).chain,
    chainPeriod: async () => (await keys.ring()).chainPeriod,
    async sign(payload, { typ, by, ...rest }) {
      const { active, chain } = await keys.ring();
      const owner = did();
      if (by === 'did' && owner === undefined) throw new Error('the issuer has no DID');
      const kid = by === 'did' ? `${owner}#${active.id}` : active.id;
      const header = { ...rest, alg: 'ES256', typ, kid, ...(by === 'x5c' ? { x5c: chain } : {}) };
      return signJws(header, payload, (data) => signWith(active.key, 'ES256', data));
    },
    async signBytes(data) {
      const { active, chain } = await keys.ring();
      return { signature: await signWith(active.key, 'ES256', data), chain };
    },
    signsDocuments: async () => (await keys.ring()).signsDocuments,
    publicKeys: async () => (await keys.ring()).published,
    anchor: async () => (await keys.ring()).anchor,
  };
  const asSigner = (requests: { inUse(): Promise<Pick<KnownCertificates, 'certificates'>> }): KnownSigner => ({
    issuer: issuer(),
    did: did(),
    certificates: async () => [...(await keys.certificates()), ...(await requests.inUse()).certificates],
  });
  return { ...identity, keys, asSigner };
}

export type Issuer = ReturnType<typeof createIssuerIdentity>;
