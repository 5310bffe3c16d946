// The sealed content of a credential: all personal data.
import type { Seal } from '../../platform/seal/index.ts';
import type { StatusReference } from '../../verifiable/status/index.ts';
import type { CredentialInstanceRow, CredentialRow } from '../ground/database.ts';
import type { Description } from './display.ts';
import type { Logo } from './logo.ts';

export interface CredentialContent {
  readonly types: readonly string[];
  readonly issuer: {
    readonly id: string;
    readonly name?: string;
    readonly logo?: Logo;
    readonly verified: boolean;
    readonly trust: string;
  };
  readonly subject?: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The first display entry of the issuer, as it is. */
  readonly display?: Readonly<Record<string, unknown>>;
  /** Missing in credentials that were stored by earlier versions. */
  readonly description?: Description;
  readonly credentialIssuer: string;
  readonly credentialConfigurationId: string;
  readonly authorityKeyIds?: readonly string[];
  /** The verification method that was used in the credential request. */
  readonly didUrl?: string;
}

/** Replaces content that cannot be decrypted, so that the credential can be listed and purged. */
export const damagedContent = ({ issuer }: Pick<CredentialRow, 'issuer'>): CredentialContent => ({
  types: [],
  issuer: { id: issuer, verified: false, trust: 'damaged' },
  claims: {},
  credentialIssuer: '',
  credentialConfigurationId: '',
});

/** The sealed content of a copy. Each copy has its own status entry. */
export interface CopyContent {
  readonly raw: unknown;
  readonly status?: StatusReference;
}

/** Binds the sealed content to owner and id, so that it cannot be used in another row. */
export const credentialSealContext = ({ owner, id }: Pick<CredentialRow, 'owner' | 'id'>): string =>
  `wallet|${owner}|${id}|credential|v1`;
export const instanceSealContext = ({ owner, id }: { readonly owner: string; readonly id: string }): string =>
  `wallet|${owner}|${id}|instance|v1`;

export const openContent = (seal: Seal, row: CredentialRow): CredentialContent =>
  JSON.parse(seal.open(row.sealed, credentialSealContext(row)).toString()) as CredentialContent;
export const openCopy = (seal: Seal, row: CredentialInstanceRow): CopyContent =>
  JSON.parse(seal.open(row.sealed, instanceSealContext(row)).toString()) as CopyContent;

/** Undefined if it is damaged. */
export function tryOpen<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
