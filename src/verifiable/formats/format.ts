// What a credential format is. Each is one object in a file of its own, listed in table.ts (docs/developing/format.md). Nobody else asks
// which format something has: whatever differs between formats is a member of the object.
import type { Clock } from '../../platform/clock.ts';
import { type DecodedJws, decodeJws, JwsError, type PublicJwk } from '../jose/index.ts';
import type { StatusReference } from '../status/index.ts';
import { type IssuerTrust, type Trust, TrustError } from '../trust/index.ts';

/** table.ts has each of them. */
export type FormatName = 'dc+sd-jwt' | 'jwt_vc_json' | 'mso_mdoc' | 'ldp_vc';

/** What a credential is bound to: a key, a DID, or nothing. */
export type Binding =
  | { readonly kind: 'jwk'; readonly jwk: PublicJwk }
  | { readonly kind: 'did'; readonly did: string }
  | { readonly kind: 'none' };

/** A credential with a valid signature by a trusted key of the issuer. Times are in milliseconds. */
export interface VerifiedCredential {
  readonly format: FormatName;
  /** vct, last type, or doctype. */
  readonly type: string;
  readonly types: readonly string[];
  readonly issuer: { readonly id: string; readonly trust: IssuerTrust };
  readonly subject?: string;
  /** All claims, disclosures included. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** The paths of lists in the claims of which the holder may have held something back. */
  readonly partialLists?: readonly (readonly string[])[];
  readonly issuedAt?: number;
  readonly validFrom?: number;
  readonly validUntil?: number;
  readonly binding: Binding;
  readonly status?: StatusReference;
  /** SHA-256 of the key of the root that its certificate leads to, in base64url. */
  readonly rootKeyId?: string;
  /** Key identifiers of the issuer's authorities, for queries by authority. */
  readonly authorityKeyIds?: readonly string[];
}

/** Why a credential is rejected. The code never contains data of the credential. */
export class CredentialRejectedError extends Error {
  readonly code: string;
  constructor(code: string, why: string) {
    super(why);
    this.code = code;
  }
}

export function reject(code: string, why: string): never {
  throw new CredentialRejectedError(code, why);
}

/** Turns all errors of libraries and checks into CredentialRejectedError, except for TrustError. */
export async function asRejection<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CredentialRejectedError || error instanceof TrustError) throw error;
    if (error instanceof JwsError) reject(error.code, error.message);
    return reject('malformed', 'it cannot be read');
  }
}

const MAX_PRESENTATION = 256 * 1024;

/** A JWT in a presentation, not verified yet. */
export function readJws(text: string, what: string): DecodedJws {
  try {
    return decodeJws(text, MAX_PRESENTATION);
  } catch {
    return reject('malformed', `${what} cannot be read`);
  }
}

/** Signs with the key the credential is bound to. */
export type HolderSign = (data: Buffer) => Promise<Buffer>;

export interface CredentialHolder {
  readonly algorithm: string;
  readonly jwk: PublicJwk;
  readonly sign: HolderSign;
  /** The verification method, if the credential is bound to a DID. */
  readonly didUrl?: string;
}

/** What binds a presentation to an exchange, where its holder signs no more than that (OID4VP 1.0, B.2.6). */
export interface Handover {
  readonly responseUri: string;
  readonly encryptionThumbprint?: Buffer;
}

/** What a verifier requests from one credential, and what the presentation is bound to. */
export interface PresentationContext {
  /** Paths to disclose. No other selectively disclosable claim is shown. */
  readonly paths: readonly (readonly (string | number | null)[])[];
  readonly nonce: string;
  /** The verifier, by its full client id. */
  readonly audience: string;
  readonly now: number;
  /** Hashes of the transaction data that the presentation confirms. */
  readonly transactionData?: { readonly hashes: readonly string[]; readonly algorithm: string };
  /** Where the answer goes, and the key that it is encrypted for. */
  readonly handover?: Handover;
}

/** What a verifier asked for. */
export interface ExpectedPresentation {
  readonly nonce: string;
  /** The verifier, by its full client id. */
  readonly audience: string;
  /** When the request was made, in milliseconds: nobody can have answered before. */
  readonly since: number;
  readonly handover?: Handover;
}

/** Checks of the holder that several formats have. They throw CredentialRejectedError. */
export interface HolderChecks {
  /** The key that the credential is bound to signed this JWT. The presentation does not choose it. */
  signed(jwt: string, binding: Binding, kid: unknown): Promise<void>;
  /** It was signed for this request, by `nonce`, `aud` and `iat`. */
  expected(payload: Readonly<Record<string, unknown>>, expected: ExpectedPresentation): void;
}

/** A format with the trust and the clock by which it verifies. */
export interface Format {
  /** Throws CredentialRejected. */
  verify(raw: unknown): Promise<VerifiedCredential>;
  present(raw: unknown, showing: PresentationContext, holder: CredentialHolder | undefined): Promise<unknown>;
  /** The credential in a presentation, which its holder made for this request. */
  readonly verifyPresentation?: (
    presentation: string,
    expected: ExpectedPresentation,
    holder: HolderChecks,
  ) => Promise<VerifiedCredential>;
  /** The algorithm of the issuer's signature, as verifiers list it: a JOSE or COSE algorithm, or a cryptosuite. */
  issuerAlgorithm(raw: unknown): Promise<string | number | undefined>;
}

/** `meta` of a credential query in DCQL. */
export type QueryMeta = Readonly<Record<string, unknown>>;

type Types = Pick<VerifiedCredential, 'type' | 'types'> & Partial<Pick<VerifiedCredential, 'claims'>>;

/** How verifiers ask for types of credentials (OID4VP 1.0, 6.1 and appendix B). */
export interface TypeQuery {
  /** For any of these types, each by all its names: one or more, of which a wallet answers one. */
  metaFor(types: readonly (readonly string[])[]): readonly QueryMeta[];
  /** A wallet may show something else than was asked for. */
  isAsked(credential: Types, meta: QueryMeta): boolean;
  /** The types that are asked for, by which wallets find credentials; undefined: they have to look at all. */
  typesIn(meta: QueryMeta): readonly string[] | undefined;
  /** A credential as the library for DCQL compares it, without claims. `named`: the format in the query. */
  describe(credential: Types, named: string, meta: QueryMeta): object;
}

/** How holders show it. */
export interface HolderTraits {
  /** False: it can also be shown without a signature of the holder, and be bound to nobody. */
  readonly alwaysSigns: boolean;
  /** The signature names its key by a DID, never by the key itself. */
  readonly byDidOnly: boolean;
  /** A credential that is bound to a DID is shown with whatever key the DID has now. */
  readonly followsDid: boolean;
  /** Undefined: every algorithm that keys have. */
  readonly algorithms?: readonly string[];
  /** Whether the holder's signature can confirm transaction data (OID4VP 1.0, 8.4). */
  readonly confirmsTransactions: boolean;
}

export interface CredentialFormat {
  readonly name: string;
  /** In drafts, which some still use in offers and queries. */
  readonly formerNames: readonly string[];
  /** Its entry in `vp_formats_supported` (OID4VP 1.0, 11.1): what is read here, and shown. */
  readonly supported: Readonly<Record<string, readonly (string | number)[]>>;
  /** The members of such an entry that list the algorithms of issuers and of holders. */
  readonly algorithmLists: { readonly issuer: string; readonly holder: string };
  /** How these lists name an algorithm of a holder. */
  listedName(algorithm: string): string | undefined;
  /** Whether an entry of a verifier is about what is shown here at all. */
  isSupportedBy(entry: Readonly<Record<string, unknown>>): boolean;
  readonly query: TypeQuery;
  /** Whether its presentations are read here: see `verifyPresentation`. */
  readonly readsPresentations: boolean;
  readonly holder: HolderTraits;
  /** What a verifier sees: all of it, exactly the claims that it asked for, or these and what cannot be held back. */
  readonly disclosure: 'all' | 'asked' | 'asked-and-open';
  /** Whether HAIP 1.0 has it. */
  readonly isInHaip: boolean;
  /** What says which credential it is, beside its claims, for those who map claims. */
  about(credential: VerifiedCredential): Readonly<Record<string, unknown>>;
  /**
   * Who issued it, by a name that is theirs alone; undefined if there is none. The name in a certificate is not: two authorities may give the same.
   */
  issuerName(credential: VerifiedCredential): string | undefined;
  /** Issuers have no names that could be listed: they are known by their root certificates. */
  readonly isTrustedByRootsOnly: boolean;
  /** Whether a claim can have this path (OID4VP 1.0, 7). */
  isClaimPath(path: readonly (string | null)[]): boolean;
  create(deps: { readonly trust: Trust; readonly clock: Clock }): Format;
}

/** Of formats whose names of algorithms are those of JOSE or COSE. */
export const plainAlgorithms: Pick<CredentialFormat, 'listedName' | 'isSupportedBy'> = {
  listedName: (algorithm) => algorithm,
  isSupportedBy: () => true,
};

/** JOSE algorithms of issuers and holders that are read and shown, as metadata lists them. */
export const SUPPORTED_ALGORITHMS: readonly string[] = ['ES256', 'EdDSA', 'ES384', 'ES512'];
