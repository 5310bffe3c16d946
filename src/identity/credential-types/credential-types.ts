// Types of credentials, as those who issue credentials read them.
import { applicationsOfUser, inspectUserPermissions } from '../app-roles/index.ts';
import type { Reader } from '../database.ts';
import type { Deps } from '../resource/index.ts';
import { applicationsOf, type CredentialType, rolesForType } from './credential-type.ts';
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
  const all = (): Promise<readonly CredentialType[]> => readCredentialTypes(db.read);

  async function hasRoleFor(type: CredentialType, userId: string, applicationIds: readonly string[]): Promise<boolean> {
    for (const id of applicationsOf(type)) {
      if (!applicationIds.includes(id)) continue;
      const found = await inspectUserPermissions({ clock }, db.read, userId, id);
      if (found?.isUsable && rolesForType(type, found.held).length > 0) return true;
    }
    return false;
  }

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
      const applicationIds = await applicationsOfUser(db.read, userId);
      const available: CredentialType[] = [];
      for (const type of types) if (await hasRoleFor(type, userId, applicationIds)) available.push(type);
      return available;
    },
    async targetNames(reader, applicationIds) {
      const dids = await readDids(reader, applicationIds);
      return new Map(applicationIds.map((id) => [id, dids.get(id) ?? id]));
    },
  };
}
