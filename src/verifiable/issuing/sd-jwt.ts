// Makes SD-JWT VCs (RFC 9901; draft-ietf-oauth-sd-jwt-vc).
import { createHash, randomBytes } from 'node:crypto';
import type { PublicJwk } from '../jose/index.ts';
import type { IssuedFormat } from './issued-format.ts';

/** 128 bits, as RFC 9901 (9.3) recommends. */
const SALT_BYTES = 16;
/** Names that the format itself uses, or that a reader refuses. */
const RESERVED = new Set(['_sd', '_sd_alg', '...', '__proto__', 'constructor', 'prototype']);
/** Claims that say what the credential is: a holder must not be able to hold them back (SD-JWT VC, 2.2.2.2). */
const ALWAYS_OPEN = new Set(['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'status']);

export class SdJwtError extends Error {}

/** The public key that the holder has proved. */
export type HolderKey = PublicJwk;

export interface SdJwtDraft {
  /** What every verifier sees. */
  readonly open: Readonly<Record<string, unknown>>;
  /** Each of these can be shown or held back by itself. */
  readonly disclosable: Readonly<Record<string, unknown>>;
}

const digestOf = (disclosure: string): string => createHash('sha256').update(disclosure).digest('base64url');

const disclosureOf = (name: string, value: unknown): string =>
  Buffer.from(JSON.stringify([randomBytes(SALT_BYTES).toString('base64url'), name, value])).toString('base64url');

function checkNames({ open, disclosable }: SdJwtDraft): void {
  for (const name of [...Object.keys(open), ...Object.keys(disclosable)])
    if (RESERVED.has(name)) throw new SdJwtError(`a claim may not be called ${name}`);
  for (const name of Object.keys(disclosable)) {
    if (ALWAYS_OPEN.has(name)) throw new SdJwtError(`${name} must not be held back`);
    if (Object.hasOwn(open, name)) throw new SdJwtError(`${name} is open and disclosable`);
  }
}

/** `sign` signs the payload as a compact JWS. The result has all disclosures, as issuers send it. */
export async function sdJwtOf(
  draft: SdJwtDraft,
  sign: (payload: Readonly<Record<string, unknown>>) => Promise<string>,
): Promise<string> {
  checkNames(draft);
  const disclosures = Object.entries(draft.disclosable)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => disclosureOf(name, value));
  // Sorted, so that their order does not say which claims they are.
  const digests = disclosures.map(digestOf).sort();
  const jwt = await sign({ ...draft.open, ...(digests.length > 0 ? { _sd: digests, _sd_alg: 'sha-256' } : {}) });
  return [jwt, ...disclosures, ''].join('~');
}

export const sdJwt: IssuedFormat = {
  name: 'dc+sd-jwt',
  shownAs: 'dc+sd-jwt',
  suffix: 'sd_jwt',
  queryId: 'own',
  needsDocumentSigner: false,
  bindingMethods: ['jwk', 'did:jwk', 'did:key'],
  canBind: () => true,
  signingAlgorithms: ['ES256'],
  typeMetadata: ({ vct }) => ({ vct }),
  claimPath: (claim) => [claim],
  queryNames: ({ vct }) => [[vct]],
  saysTypeName: false,
  registryName: ({ vct }) => vct,
  userIn: (subject) => (subject === undefined ? {} : { id: subject }),
  make({ type, user, roles, profile, holder, issuedAt, expiresAt, status }, { url, namedBy, sign }) {
    const open = {
      iss: url,
      vct: type.vct,
      ...(user ? { sub: user.id } : {}),
      iat: issuedAt,
      nbf: issuedAt,
      exp: expiresAt,
      cnf: { jwk: holder.jwk },
      status: { status_list: status.token },
      roles,
    };
    return sdJwtOf({ open, disclosable: profile }, (payload) => sign(payload, { typ: this.name, by: namedBy }));
  },
};

/** For wallets that know the name of earlier drafts only. */
export const olderSdJwt: IssuedFormat = { ...sdJwt, name: 'vc+sd-jwt', suffix: 'sd_jwt_older' };
