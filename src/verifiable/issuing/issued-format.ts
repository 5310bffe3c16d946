// A format in which credentials are issued. Each is one object in a file of its own, listed in table.ts (docs/developing/format.md).
import type { FormatName } from '../formats/index.ts';
import type { PublicJwk } from '../jose/index.ts';

/** What a type of credentials is called. */
export interface IssuedType {
  /** An address, where everybody can read what it is. */
  readonly vct: string;
  /** Such as `CityWorkerCredential`. */
  readonly typeName: string;
  /** Of mobile documents; also the namespace of what they say. */
  readonly doctype: string;
  /** Version of the W3C data model. */
  readonly dataModel: '2.0' | '1.1';
}

/** What one credential says. */
export interface CredentialDraft {
  /** An URI of this credential alone. */
  readonly id: string;
  readonly type: IssuedType;
  /** Undefined for a type that does not say whose it is: then only the record of it does. */
  readonly user: { readonly id: string; readonly address: string } | undefined;
  readonly roles: readonly object[];
  /** What it says of its holder beside the roles. The holder decides whom to show it, where the format can hold something back. */
  readonly profile: Readonly<Record<string, unknown>>;
  /** The key that the holder has proved; by a DID, if they named it so. */
  readonly holder: { readonly jwk: PublicJwk; readonly did?: string };
  /** In seconds; rounded, so that they are those of many people. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The same entry, as status lists of IETF and W3C have it. */
  readonly status: {
    readonly token: { readonly uri: string; readonly idx: number };
    /** The most severe first: revocation, then suspension. */
    readonly bitstring: readonly Readonly<Record<string, unknown>>[];
  };
}

/** Who signs. */
export interface CredentialSigner {
  readonly url: string;
  readonly did: string | undefined;
  /** How signatures name their key: by certificates, or by its id among the published keys. */
  readonly namedBy: 'x5c' | 'kid';
  /** As a compact JWS. */
  sign(payload: Readonly<Record<string, unknown>>, header: { typ: string; by: 'x5c' | 'did' | 'kid' }): Promise<string>;
  /** By ES256, with the certificates of the key that signed: the leaf first, DER in base64. */
  signBytes(data: Buffer): Promise<{ readonly signature: Buffer; readonly chain: readonly string[] }>;
}

export interface IssuedFormat {
  readonly name: string;
  /** By which name wallets are asked for it, and it is verified. */
  readonly shownAs: FormatName;
  /** In ids of credential configurations, which are in offers and in wallets: never change it. */
  readonly suffix: string;
  /** In ids of queries for credentials that were issued here. */
  readonly queryId: string;
  /** Whether the certificate of the issuer has to allow signing mobile documents. */
  readonly needsDocumentSigner: boolean;
  /** Of a credential configuration (OID4VCI 1.0, 12.2.4 and appendix A). */
  readonly bindingMethods: readonly string[];
  /** Whether it can be bound to a key. Asked before anything is recorded. */
  canBind(jwk: PublicJwk): boolean;
  readonly signingAlgorithms: readonly (string | number)[];
  typeMetadata(type: IssuedType): Readonly<Record<string, unknown>>;
  claimPath(claim: string, type: IssuedType): readonly string[];
  /** How verifiers ask for it, as OID4VP has it: alternatives, each by all its names. */
  queryNames(type: IssuedType): readonly (readonly string[])[];
  /** Whether it says `typeName`. Under a name that was given up, others may make a type. */
  readonly saysTypeName: boolean;
  /** Its type in a registry of trusted issuers; undefined if verifiers that go by such registries do not read the format. */
  registryName(type: IssuedType): string | undefined;
  /** Whom a credential that was issued here names: a user, or nobody but its key; undefined if it is somebody elsewhere. */
  userIn(subject: string | undefined, usersAddress: string): { readonly id?: string } | undefined;
  make(draft: CredentialDraft, signer: CredentialSigner): Promise<string>;
}
