// Signing in with a wallet, by credentials that were issued here or by others.
import { FORMAT_NAMES } from '../../verifiable/formats/index.ts';
import { ISSUED_FORMATS, issuedFormatShownAs } from '../../verifiable/issuing/index.ts';
import type { ModuleOptions } from '../ground/module-options.ts';
import type { Federation } from '../login/federation/index.ts';
import { createWalletSignIn } from '../login/wallet-sign-in/index.ts';
import { issuedTypeOf } from '../role-credentials/types/index.ts';
import type { Core } from './core.ts';
import type { RoleCredentials } from './credentials.ts';

export function buildWalletSignIn(
  { deps, records, domainSettings, outbound, isWallet }: Core,
  { issuerIdentity, credentialTypes, issuedCredentials }: RoleCredentials,
  { walletProviders }: Pick<Federation, 'walletProviders'>,
  { outboundAllow }: ModuleOptions,
) {
  /** An application that somebody allowed to receive a credential of theirs can show their roles with it. It cannot become them. */
  const isOfWallet = ({ clientId }: { readonly clientId: string | null }): boolean => clientId === null || isWallet(clientId);
  return createWalletSignIn({
    ...deps,
    records,
    domainSettings,
    identity: issuerIdentity,
    stateOf: async (tx, list, index) => {
      const found = await issuedCredentials.stateOf(tx, list, index);
      return found && isOfWallet(found) ? found : undefined;
    },
    outbound,
    outboundAllow,
    providers: walletProviders,
    async ownTypes() {
      const types = [...(await credentialTypes.list({ enabled: true }))].sort((one, other) => one.createdAt - other.createdAt);
      return FORMAT_NAMES.flatMap((format) => {
        const issued = issuedFormatShownAs(format);
        if (!issued) return [];
        const own = types.filter(({ formats }) => formats.some((name) => ISSUED_FORMATS[name].shownAs === format));
        const names = own.map((type) => issued.typeNames(issuedTypeOf(issuerIdentity.id(), type)));
        return [{ queryId: issued.queryId, format, types: names }];
      });
    },
    hasCredential: async (userId) => (await issuedCredentials.receiversOf(userId)).some((clientId) => isOfWallet({ clientId })),
  });
}
