// Who manages others. Providers are trusted less with their accounts.
import { type Access, type Grantee, MANAGING_ROLES } from '../../access/context/index.ts';
import type { ProviderLinkRow, Reader } from '../../ground/database/index.ts';
import type { TrustedProvider } from './openid-settings.store.ts';

export function createManagement(access: Pick<Access, 'expand' | 'grantsOf'>) {
  /** Whether a user or a group manages others anywhere, or has a role on the system. */
  async function managesOthers(reader: Reader, grantee: Grantee): Promise<boolean> {
    for (const { roleId, targetId } of await access.grantsOf(reader, grantee))
      if (targetId === null || (await isManaging(reader, roleId))) return true;
    return false;
  }

  const isManaging = async (reader: Reader, roleId: string): Promise<boolean> =>
    (await access.expand(reader, [roleId])).some(({ name }) => MANAGING_ROLES.includes(name));

  /** An address alone does not lead into an account that manages others, also not if it came to do so after it was linked. */
  const needsProof = async (
    reader: Reader,
    { may_give_admin }: Pick<TrustedProvider, 'may_give_admin'>,
    { by_address, user_id: userId }: Pick<ProviderLinkRow, 'by_address' | 'user_id'>,
  ): Promise<boolean> => by_address === 1 && may_give_admin === 0 && managesOthers(reader, { userId });

  return { managesOthers, isManaging, needsProof };
}
