// Who may sign in with a wallet, and as what: the policy of the domain.
import { findProject } from '../../access/context/index.ts';
import type { DomainSettingsOf } from '../../directory/domain-settings/index.ts';
import type { Reader, Tx } from '../../ground/database/index.ts';

/** The place of a wallet in a sign-in: instead of the password, or after the first step. Never both in one sign-in. */
export type WalletPlace = 'first' | 'second';

export function createWalletPolicy({ domainSettings }: { readonly domainSettings: DomainSettingsOf }) {
  const includes = (policy: string, place: WalletPlace): boolean => policy === place || policy === 'both';

  return {
    /** Whether somebody may: before a person is known. */
    async isOffered(place: WalletPlace, reader?: Reader): Promise<boolean> {
      const all = [domainSettings.defaults(), ...(await domainSettings.domains(reader)).map(({ settings }) => settings)];
      return all.some(({ wallet }) => includes(wallet.signIn, place));
    },

    isAllowed: async ({ domain_id: domainId }: { readonly domain_id: string }, place: WalletPlace): Promise<boolean> =>
      includes((await domainSettings.of(domainId)).wallet.signIn, place),

    /** The same for somebody of this domain, in a transaction. */
    async isAllowedIn(tx: Tx, domainId: string, place: WalletPlace): Promise<boolean> {
      const domain = await findProject(tx, domainId);
      return domain?.is_domain === 1 && includes(domainSettings.ofDomain(domain).wallet.signIn, place);
    },
  };
}

export type WalletPolicy = ReturnType<typeof createWalletPolicy>;
