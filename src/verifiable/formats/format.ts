// The interface of credential formats: verifying and presenting.

import { JwsError, type PublicJwk } from '../jose/index.ts';
import type { StatusReference } from '../status/index.ts';
import { type IssuerTrust, TrustError } from '../trust/index.ts';

export const FORMATS = ['dc+sd-jwt', 'jwt_vc_json', 'mso_mdoc', 'ldp_vc'] as const;
export type FormatName = (typeof FORMATS)[number];

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

/** Signs with the key the credential is bound to. */
export type HolderSign = (data: Buffer) => Promise<Buffer>;

export interface CredentialHolder {
  readonly algorithm: string;
  readonly jwk: PublicJwk;
  readonly sign: HolderSign;
  /** The verification method, if the credential is bound to a DID. */
  readonly didUrl?: string;
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
  /** mdoc only: the input of the session transcript. */
  readonly handover?: {
    readonly responseUri: string;
    readonly encryptionThumbprint?: Buffer;
  };
}

export interface Format {
  readonly name: FormatName;
  /** Throws CredentialRejected. */
  verify(raw: unknown): Promise<VerifiedCredential>;
  present(raw: unknown, showing: PresentationContext, holder: CredentialHolder | undefined): Promise<unknown>;
  /** The algorithm of the issuer's signature, as verifiers list it: a JOSE or COSE algorithm, or a cryptosuite. */
  issuerAlgorithm(raw: unknown): Promise<string | number | undefined>;
}
