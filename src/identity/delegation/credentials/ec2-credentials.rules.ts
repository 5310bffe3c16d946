// EC2 keys by Keystone's own addresses. They are credentials of the type `ec2`, so both APIs show the same keys.
import { newId } from '../../../platform/ids.ts';
import type { Caller, IdentityTarget } from '../../access/rules/index.ts';
import type { Users } from '../../directory/users/index.ts';
import type { CredentialRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { EC2, idOfAccessKey, readEc2Blob } from './content.ts';
import type { Credentials } from './credentials.rules.ts';
import type { DecryptedCredential } from './credentials.schema.ts';
import { credentialsOf, findCredential } from './credentials.store.ts';

/** A key, as whoever checks a signature needs it. */
export interface Ec2Key {
  readonly id: string;
  readonly userId: string;
  readonly epoch: number;
  readonly secret: string;
}

export function createEc2Credentials({
  db,
  users,
  credentials,
}: Pick<Deps, 'db'> & {
  readonly users: Pick<Users, 'find'>;
  readonly credentials: Pick<Credentials, 'create' | 'remove' | 'decrypt'>;
}) {
  const findKeyRow = async (access: string): Promise<CredentialRow | undefined> => {
    const row = await findCredential(db.read, idOfAccessKey(access));
    return row?.type === EC2 ? row : undefined;
  };

  return {
    ownerTarget: (userId: string): IdentityTarget<string> => ({ facts: { userId }, get: () => userId }),

    /**
     * Whoever may see the keys of the user in the address learns whether this is one of them. As Keystone with its scopes enforced, only the
     * owner of the key counts then, not the user in the address.
     */
    async target({ authContext }: Caller, userId: string, access: string): Promise<IdentityTarget<CredentialRow>> {
      const row = await findKeyRow(access);
      const ownerId = (authContext.enforcesScope ? row?.user_id : undefined) ?? userId;
      return {
        facts: { userId: ownerId, isMissing: row === undefined },
        get: () => (row?.user_id === ownerId ? row : fail('credential.not_found', { id: access })),
      };
    },

    async list(userId: string): Promise<DecryptedCredential[]> {
      if (!(await users.find(userId))) fail('user.not_found', { id: userId });
      return (await credentialsOf(db.read, userId, EC2)).map(credentials.decrypt);
    },

    get: credentials.decrypt,

    create(caller: Caller, userId: string, projectId: string): Promise<DecryptedCredential> {
      const blob = JSON.stringify({ access: newId(), secret: newId(), trust_id: null });
      return credentials.create(caller, userId, { type: EC2, blob, project_id: projectId });
    },

    remove: credentials.remove,

    /**
     * The key of this name. Undefined also for one that says it was passed on by a trust, an application credential or OAuth1: tokens of these
     * create no keys, so its owner wrote that, and a token with all roles would be more than it says.
     */
    async find(access: string): Promise<Ec2Key | undefined> {
      const row = await findKeyRow(access);
      const blob = row && readEc2Blob(credentials.decrypt(row).plain);
      if (!row || !blob?.secret || Object.values(blob.delegations).some((value) => value !== null)) return undefined;
      return { id: row.id, userId: row.user_id, epoch: row.epoch, secret: blob.secret };
    },
  };
}

export type Ec2Credentials = ReturnType<typeof createEc2Credentials>;
