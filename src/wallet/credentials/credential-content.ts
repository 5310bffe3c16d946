// What is sealed of a credential: everything about the person in it.
import type { Seal } from '../../platform/seal/index.ts';
import type { CredentialInstanceRow, CredentialRow } from '../database.ts';
import type { StatusReference } from '../status/index.ts';

export interface CredentialContent {
  readonly types: readonly string[];
  readonly issuer: { readonly id: string; readonly name?: string; readonly verified: boolean; readonly trust: string };
  readonly subject?: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly display?: Readonly<Record<string, unknown>>;
  readonly credentialIssuer: string;
  readonly credentialConfigurationId: string;
  readonly authorityKeyIds?: readonly string[];
  /** The verification method it was asked for with. */
  readonly didUrl?: string;
}

/** In the place of what cannot be opened: the others are shown nevertheless, and this one can be purged. */
export const damagedContent = ({ issuer }: Pick<CredentialRow, 'issuer'>): CredentialContent => ({
  types: [],
  issuer: { id: issuer, verified: false, trust: 'damaged' },
  claims: {},
  credentialIssuer: '',
  credentialConfigurationId: '',
});

/** What is sealed of each copy. Copies are told apart in the lists of their issuer, too. */
export interface CopyContent {
  readonly raw: unknown;
  readonly status?: StatusReference;
}

/** Bound to owner and credential: a row copied elsewhere does not open. */
export const credentialSealContext = ({ owner, id }: Pick<CredentialRow, 'owner' | 'id'>): string =>
  `wallet|${owner}|${id}|credential|v1`;
export const instanceSealContext = ({ owner, id }: { readonly owner: string; readonly id: string }): string =>
  `wallet|${owner}|${id}|instance|v1`;

export const openContent = (seal: Seal, row: CredentialRow): CredentialContent =>
  JSON.parse(seal.open(row.sealed, credentialSealContext(row)).toString()) as CredentialContent;
export const openCopy = (seal: Seal, row: CredentialInstanceRow): CopyContent =>
  JSON.parse(seal.open(row.sealed, instanceSealContext(row)).toString()) as CopyContent;

/** Undefined where it was damaged. */
export function tryOpen<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
