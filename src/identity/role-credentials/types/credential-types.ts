// Types of credentials, as those who issue credentials read them.
import { appTagOf, inspectApplications } from '../../applications/app-roles/index.ts';
import type { Reader } from '../../ground/database/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { applicationsOf, CREDENTIAL_TYPES_TAG, type CredentialType, credentialTypeTag, rolesForType } from './credential-type.ts';
import { findCredentialType, readCredentialTypes, readDids } from './credential-types.store.ts';

export interface CredentialTypes {
  /** As it is now; also those that are disabled. */
  find(id: string): Promise<CredentialType | undefined>;
  /** In a transaction that acts on it. */
  findIn(reader: Reader, id: string): Promise<CredentialType | undefined>;
  /** In the order of their ids; with `applicationId`: those of this application. */
  list(filter?: { readonly applicationId?: string; readonly enabled?: boolean }): Promise<readonly CredentialType[]>;
  /** The enabled types of which the user can have a credential now, because they have a role that belongs into it. */
  availableTo(userId: string): Promise<readonly CredentialType[]>;
  /** What a credential calls each of these applications: its DID if an administrator gave it one, else its id. */
  targetNames(reader: Reader, applicationIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export function createCredentialTypes({ db, clock }: Pick<Deps, 'db' | 'clock'>): CredentialTypes {
  const lists = db.cached<readonly CredentialType[]>({
    name: 'credential_types',
    limit: 1,
    // Types end with their applications.
    tags: (types) => [
      CREDENTIAL_TYPES_TAG,
      ...types.map(({ id }) => credentialTypeTag(id)),
      ...types.flatMap((type) => applicationsOf(type).map(appTagOf.application)),
    ],
  });
  const all = async (): Promise<readonly CredentialType[]> =>
    (await lists.getOrLoad('all', () => readCredentialTypes(db.read))) ?? [];

  return {
    find: async (id) => (await all()).find((type) => type.id === id),
    findIn: findCredentialType,
    list: async ({ applicationId, enabled } = {}) =>
      (await all()).filter(
        (type) =>
          (applicationId === undefined || type.applicationId === applicationId) &&
          (enabled === undefined || type.enabled === enabled),
      ),
    async availableTo(userId) {
      const types = (await all()).filter(({ enabled }) => enabled);
      if (types.length === 0) return [];
      const holdings = await inspectApplications({ clock }, db.read, userId);
      const available: CredentialType[] = [];
      for (const type of types) {
        const found = await Promise.all(applicationsOf(type).map(holdings));
        if (found.some((one) => one?.isUsable && rolesForType(type, one.held).length > 0)) available.push(type);
      }
      return available;
    },
    async targetNames(reader, applicationIds) {
      const dids = await readDids(reader, applicationIds);
      return new Map(applicationIds.map((id) => [id, dids.get(id) ?? id]));
    },
  };
}
