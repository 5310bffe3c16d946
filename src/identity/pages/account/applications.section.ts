// Applications that a person gave access to, and wallets that their provider attests.
import { tagOf } from '../../access/context/index.ts';
import { namesOfConsumers } from '../../applications/consumers/index.ts';
import type { WalletProviders } from '../../applications/wallet-providers/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { Records } from '../../openid/records/index.ts';
import { applicationsSection } from './applications.page.ts';
import type { AccountSection, AccountStep } from './section.ts';

export interface ApplicationsDeps extends Pick<Deps, 'db' | 'change'> {
  readonly records: Records;
  /** Their wallets refresh what they received, also when the person has no session. */
  readonly walletProviders: Pick<WalletProviders, 'wallet'>;
}

async function applicationsOf(
  { db, records, walletProviders }: ApplicationsDeps,
  userId: string,
): Promise<{ id: string; name: string }[]> {
  const grants = [...(await records.listOfUser(userId, 'Consent')), ...(await records.listOfUser(userId, 'Grant'))];
  const ids = new Set(grants.flatMap(({ payload }) => payload.clientId ?? []));
  const names = await namesOfConsumers(db.read, [...ids]);
  return [...ids].flatMap((id) => {
    const name = walletProviders.wallet(id)?.name ?? names.get(id);
    return name === undefined ? [] : [{ id, name }];
  });
}

const revoke =
  ({ db, change, records, walletProviders }: ApplicationsDeps): AccountStep['run'] =>
  async ({ person: { user, actor } }, form) => {
    const clientId = form.text('application');
    const isWallet = walletProviders.wallet(clientId) !== undefined;
    // What is no application has no access, and the audit log names none.
    if (!isWallet && !(await namesOfConsumers(db.read, [clientId])).has(clientId)) return { done: 'accessIsRevoked' };
    await change(actor, async (transaction) => {
      await (isWallet ? records.endWallet : records.endConsents)(transaction, user.id, clientId);
      transaction.invalidate(tagOf.user(user.id));
      transaction.audit('consent.revoked', { kind: 'user', id: user.id }, { consumer_id: clientId });
    });
    return { done: 'accessIsRevoked' };
  };

export const createApplicationsSection = (deps: ApplicationsDeps): AccountSection => ({
  page: 'applications',
  show: async (visit) => applicationsSection(visit, await applicationsOf(deps, visit.person.user.id)),
  steps: { revoke: { run: revoke(deps) } },
});
