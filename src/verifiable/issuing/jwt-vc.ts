// Makes the payload of a W3C credential as JWT: VCDM 2.0 is the payload itself (VC-JOSE-COSE), VCDM 1.1 is in the claim `vc`.
import { didJwkOf } from '../resolver/index.ts';
import type { IssuedFormat } from './issued-format.ts';
import type { HolderKey } from './sd-jwt.ts';

const V1 = 'https://www.w3.org/2018/credentials/v1';
const V2 = 'https://www.w3.org/ns/credentials/v2';
const EVERY_TYPE = 'VerifiableCredential';

export interface JwtVcDraft {
  readonly dataModel: '2.0' | '1.1';
  /** An URI of this credential alone. */
  readonly id: string;
  /** A DID or an https address. */
  readonly issuer: string;
  /** An URI: a DID of the holder, or another name of the subject. */
  readonly subject: string;
  /** Beside `VerifiableCredential`. */
  readonly types: readonly string[];
  /** JSON-LD vocabulary of the claims. */
  readonly vocabulary: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly holder: HolderKey;
  /** In seconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The most severe first: revocation, then suspension. */
  readonly status: readonly Readonly<Record<string, unknown>>[];
}

/** Where the names of a credential are defined. */
const vocabularyOf = (vct: string): string => `${vct}#`;

const dateTime = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

/** The payload, and the `typ` of its header. */
export function jwtVcOf(draft: JwtVcDraft): { typ: string; payload: Readonly<Record<string, unknown>> } {
  const { dataModel, id, issuer, subject, types, vocabulary, claims, holder, issuedAt, expiresAt, status } = draft;
  const about = {
    '@context': [dataModel === '2.0' ? V2 : V1, { '@vocab': vocabulary }],
    id,
    type: [EVERY_TYPE, ...types],
    issuer,
    credentialSubject: { id: subject, ...claims },
    // Version 1.1 speaks of one, and readers of it take no list: the first, which is the most severe.
    credentialStatus: dataModel === '2.0' ? [...status] : status[0],
  };
  const registered = { iss: issuer, sub: subject, jti: id, iat: issuedAt, nbf: issuedAt, exp: expiresAt, cnf: { jwk: holder } };
  return dataModel === '2.0'
    ? {
        typ: 'vc+jwt',
        payload: { ...registered, ...about, validFrom: dateTime(issuedAt), validUntil: dateTime(expiresAt) },
      }
    : {
        typ: 'JWT',
        payload: { ...registered, vc: { ...about, issuanceDate: dateTime(issuedAt), expirationDate: dateTime(expiresAt) } },
      };
}

export const jwtVc: IssuedFormat = {
  name: 'jwt_vc_json',
  shownAs: 'jwt_vc_json',
  suffix: 'jwt_vc',
  queryId: 'own_w3c',
  needsDocumentSigner: false,
  bindingMethods: ['jwk', 'did:jwk', 'did:key'],
  canBind: () => true,
  signingAlgorithms: ['ES256'],
  typeMetadata: ({ typeName }) => ({ credential_definition: { type: [EVERY_TYPE, typeName] } }),
  claimPath: (claim) => ['credentialSubject', claim],
  // Fully expanded by the context of the credential (OID4VP 1.0, B.1.1), and as it says it, for wallets of earlier drafts.
  queryNames: ({ vct, typeName }) => [[vocabularyOf(vct) + typeName], [typeName]],
  saysTypeName: true,
  registryName: ({ typeName }) => typeName,
  userIn(subject, usersAddress) {
    if (subject?.startsWith(usersAddress)) return { id: subject.slice(usersAddress.length) };
    return subject?.startsWith('did:') ? {} : undefined;
  },
  make({ id, type, user, roles, profile, holder, issuedAt, expiresAt, status }, { url, did, namedBy, sign }) {
    const { typ, payload } = jwtVcOf({
      dataModel: type.dataModel,
      id,
      issuer: did ?? url,
      // Verifiers of this format find the holder by the DID of the subject. The DID of the key says no more than the key.
      subject: holder.did ?? user?.address ?? didJwkOf(holder.jwk),
      types: [type.typeName],
      vocabulary: vocabularyOf(type.vct),
      claims: { roles, ...profile },
      holder: holder.jwk,
      issuedAt,
      expiresAt,
      status: status.bitstring,
    });
    return sign(payload, { typ, by: did === undefined ? namedBy : 'did' });
  },
};
