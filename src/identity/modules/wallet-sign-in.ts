// Signing in with a wallet, by credentials that were issued here.
import { seconds } from '../../platform/clock.ts';
import { vctOf } from '../credential-types/index.ts';
import { createWalletSignIn } from '../wallet-sign-in/index.ts';
import type { Core } from './core.ts';
import type { RoleCredentials } from './credentials.ts';

export function buildWalletSignIn(
  { deps, records, domainSettings }: Core,
  { issuerIdentity, credentialTypes, issuedCredentials }: RoleCredentials,
) {
  return createWalletSignIn({
    ...deps,
    records,
    domainSettings,
    identity: issuerIdentity,
    stateOf: issuedCredentials.stateOf,
    async ownTypes() {
      const types = await credentialTypes.list({ enabled: true });
      const isW3c = (format: string): boolean => format === 'jwt_vc_json';
      return {
        vcts: types.filter(({ formats }) => !formats.every(isW3c)).map((type) => vctOf(issuerIdentity.id(), type)),
        w3c: types.filter(({ formats }) => formats.some(isW3c)).map(({ typeName }) => ['VerifiableCredential', typeName]),
      };
    },
    hasCredential: async (userId) =>
      (await issuedCredentials.ofUser(userId)).some(
        ({ state, expires_at: end }) => state === 'valid' && end > seconds(deps.clock),
      ),
  });
}
