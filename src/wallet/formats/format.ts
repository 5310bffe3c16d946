// What the wallet knows of a credential format: how to read and verify one, and how to show one.

import { JwsError, type PublicJwk } from '../jose/index.ts';
import type { StatusReference } from '../status/index.ts';
import { type IssuerTrust, TrustError } from '../trust/index.ts';

export const FORMATS = ['dc+sd-jwt', 'jwt_vc_json', 'mso_mdoc', 'ldp_vc'] as const;
export type FormatName = (typeof FORMATS)[number];

/** What a credential is bound to: a key in it, a DID in it, or nobody in particular. */
export type Binding =
  | { readonly kind: 'jwk'; readonly jwk: PublicJwk }
  | { readonly kind: 'did'; readonly did: string }
  | { readonly kind: 'none' };

/** A credential whose signature holds, by a key the issuer was permitted to sign with. Times are milliseconds. */
export interface VerifiedCredential {
  readonly format: FormatName;
  /** vct, last type, or doctype. */
  readonly type: string;
  readonly types: readonly string[];
  readonly issuer: { readonly id: string; readonly trust: IssuerTrust };
  readonly subject?: string;
  /** Everything in it, disclosures included. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly issuedAt?: number;
  readonly validFrom?: number;
  readonly validUntil?: number;
  readonly binding: Binding;
  readonly status?: StatusReference;
  /** Key identifiers of the certificates above it, for queries by authority. */
  readonly authorityKeyIds?: readonly string[];
}

/** Why a credential is not taken. The code is for machines, and never holds what is in it. */
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

/** Everything libraries and checks complain of, as one kind of refusal; whose key it was remains a question of trust. */
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
  /** The verification method, where the credential is bound to a DID. */
  readonly didUrl?: string;
}

/** What a verifier asked for of one credential, and what the answer is bound to. */
export interface PresentationContext {
  /** Paths to disclose; nothing that can be held back is shown beside them. */
  readonly paths: readonly (readonly (string | number | null)[])[];
  readonly nonce: string;
  /** The verifier, by its full client id. */
  readonly audience: string;
  readonly now: number;
  /** Of the transaction data the presentation confirms, as they came. */
  readonly transactionData?: { readonly hashes: readonly string[]; readonly algorithm: string };
  /** mdoc only: what the session transcript is made of. */
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
  /** How the issuer signed it, by the name verifiers list it under: an algorithm of JOSE or COSE, or a cryptosuite. */
  issuerAlgorithm(raw: unknown): Promise<string | number | undefined>;
}
