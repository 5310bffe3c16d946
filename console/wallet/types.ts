// What the API of the wallet answers, as far as the pages read it (docs/api/wallet.openapi.json).

export interface UserInfo {
  readonly sub: string;
  readonly iss: string;
  readonly name?: string;
  readonly preferred_username?: string;
  readonly email?: string;
  readonly administrator: boolean;
  readonly expiresAt: string;
}

export interface LocalName {
  readonly locale?: string;
  readonly name: string;
}

export interface Logo {
  /** The picture itself, as a `data:` address. */
  readonly uri: string;
  readonly text?: string;
}

export interface Display {
  readonly locale?: string;
  readonly name?: string;
  readonly description?: string;
  readonly backgroundColor?: string;
  readonly textColor?: string;
  readonly logo?: Logo;
}

export type Path = readonly (string | number | null)[];

export interface ClaimLabel {
  readonly path: Path;
  readonly names?: readonly LocalName[];
}

export type CredentialStatus = 'valid' | 'expired' | 'revoked' | 'suspended' | 'unknown';

export interface Credential {
  readonly id: string;
  readonly format: string;
  readonly type: string;
  readonly issuer: {
    readonly id: string;
    readonly name?: string;
    readonly logo?: Logo;
    readonly verified: boolean;
    readonly trust: string;
  };
  readonly holder: { readonly binding: string; readonly keyId?: string; readonly did?: string };
  readonly claims: Readonly<Record<string, unknown>>;
  readonly status: CredentialStatus;
  readonly presentable: boolean;
  readonly credentialIssuer: string;
  readonly addedAt: string;
  readonly issuedAt?: string;
  readonly validFrom?: string;
  readonly validUntil?: string;
  readonly statusCheckedAt?: string;
  readonly instances: number;
  readonly displays: readonly Display[];
  readonly labels: readonly ClaimLabel[];
  readonly damaged?: boolean;
}

export interface TxCode {
  readonly inputMode: string;
  readonly length?: number;
  readonly description?: string;
}

export interface OfferedCredential {
  readonly configurationId: string;
  readonly format: string;
  readonly supported: boolean;
  readonly type?: string;
  readonly displays: readonly Display[];
  readonly labels: readonly ClaimLabel[];
}

export interface OfferPreview {
  readonly status: 'preview';
  readonly exchangeId: string;
  readonly issuer: { readonly id: string; readonly name?: string; readonly names: readonly LocalName[]; readonly proof: string };
  readonly offered: readonly OfferedCredential[];
  readonly txCode?: TxCode;
  readonly grant: string;
}

export type IssuanceAnswer =
  | OfferPreview
  | { readonly status: 'issued'; readonly exchangeId: string; readonly credentials: readonly Credential[] }
  | { readonly status: 'deferred'; readonly exchangeId: string; readonly retryAfter: number }
  | { readonly status: 'authorization_required'; readonly exchangeId: string; readonly authorizationUrl: string };

export interface Verifier {
  readonly clientId: string;
  readonly prefix: string;
  readonly authenticated: boolean;
  readonly trust: string;
  readonly name?: string;
  readonly certificate?: { readonly subject: string; readonly issuer: string; readonly validUntil: string };
}

export interface ClaimSet {
  readonly index: number;
  readonly disclosed: readonly Path[];
}

export interface Match {
  readonly credentialId: string;
  readonly disclosed: readonly Path[];
  readonly claimSets?: readonly ClaimSet[];
}

export interface PreviewQuery {
  readonly id: string;
  readonly format: string;
  /** Whether the wallet knows the format. */
  readonly supported: boolean;
  readonly required: boolean;
  readonly claims: readonly Path[];
  readonly matches: readonly Match[];
}

export interface QuerySet {
  readonly options: readonly (readonly string[])[];
  readonly required: boolean;
  readonly purpose?: string;
}

export interface PresentedCredential {
  readonly queryId: string;
  readonly credentialId: string;
  readonly disclosed: readonly Path[];
}

/** As the history keeps it: with the words of the issuer. */
export interface SharedCredential extends PresentedCredential {
  readonly type?: string;
  readonly displays?: readonly Display[];
  readonly labels?: readonly ClaimLabel[];
}

export interface PresentationPreview {
  readonly status: 'preview';
  readonly exchangeId: string;
  readonly verifier: Verifier;
  readonly query: readonly PreviewQuery[];
  readonly sets?: readonly QuerySet[];
  readonly selected?: readonly string[];
  readonly responseUri: string;
  readonly policyUri?: string;
  readonly transactionData?: readonly unknown[];
  readonly satisfiable: boolean;
}

export interface PresentationAnswer {
  readonly status: 'submitted' | 'rejected';
  readonly exchangeId: string;
  readonly redirectUri?: string;
}

export interface Exchange {
  readonly id: string;
  readonly protocol: 'oid4vci' | 'oid4vp';
  readonly state: string;
  readonly finished: boolean;
  readonly next?: 'accept' | 'authorize' | 'wait' | 'continue' | 'answer';
  readonly peer?: string;
  readonly party?: string;
  readonly retryAt?: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly expiresAt: string;
  readonly steps: readonly { readonly at: string; readonly step: string; readonly detail?: string; readonly error?: string }[];
  readonly summary: {
    readonly name?: string;
    readonly proof?: string;
    readonly offered?: readonly { readonly configurationId: string; readonly displays: readonly Display[] }[];
    readonly credentialIds?: readonly string[];
    readonly responseUri?: string;
    readonly presented?: readonly SharedCredential[];
  };
  readonly damaged?: boolean;
}

/** Somebody with whom there were exchanges. */
export interface Party {
  readonly party: string;
  readonly received: number;
  readonly shared: number;
  readonly open: number;
  readonly lastAt: string;
  readonly newest: Exchange;
}

export interface Key {
  readonly id: string;
  readonly alias?: string;
  readonly algorithm: string;
  readonly kid: string;
  readonly state: 'active' | 'rotated' | 'revoked';
  readonly default: boolean;
  readonly storage: string;
  readonly dids: readonly string[];
  readonly credentialCount: number;
  readonly createdAt: string;
  readonly rotatedAt?: string;
  readonly verifyUntil?: string;
  readonly revokedAt?: string;
  readonly revocationReason?: string;
  readonly damaged?: boolean;
}

export interface Did {
  readonly id: string;
  readonly did: string;
  readonly method: string;
  readonly alias?: string;
  readonly state: 'draft' | 'published' | 'unpublished';
  readonly default: boolean;
  readonly keys: readonly { readonly keyId: string; readonly kid: string; readonly state: string }[];
  readonly document: object;
  readonly documentUrl?: string;
  readonly createdAt: string;
  readonly publishedAt?: string;
  readonly unpublishedAt?: string;
  readonly versionId: number;
}
