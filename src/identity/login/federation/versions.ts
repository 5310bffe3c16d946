// Versions of identity providers, mappings and settings: two people who change the same one do not overwrite each other without noticing.
import type { OpenidProviderRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { isMatchOf } from '../../ground/resource/index.ts';
import type { IdentityProviderWithIds } from './identity-providers.schema.ts';

/** What the ETag is of. */
export const versionedProvider = ({ remoteIds, ...row }: IdentityProviderWithIds): object => ({
  ...row,
  remoteIds: [...remoteIds].sort(),
});
/** Not the row itself: it has a secret. */
export const versionedSettings = ({ provider_id, version }: Pick<OpenidProviderRow, 'provider_id' | 'version'>): object => ({
  provider_id,
  written: version,
});

/** In the transaction of the change. */
export function checkVersion(kind: string, id: string, ifMatch: string | undefined, versioned: object | undefined): void {
  if (!isMatchOf(ifMatch, versioned)) fail('resource.changed', { kind, id });
}
