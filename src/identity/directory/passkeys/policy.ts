// Who may use passkeys, and who must: the policy of the domain, as far as the address of the service lets browsers use them.
import { ConfigError } from '../../../platform/config/index.ts';
import type { Log } from '../../../platform/log/index.ts';
import { isAdministratorAnywhere } from '../../access/context/index.ts';
import type { Database, Reader } from '../../ground/database/index.ts';
import type { DomainSettingsOf } from '../domain-settings/index.ts';
import { hasPasskey } from './passkeys.store.ts';
import type { RelyingParty } from './relying-party.ts';

const REMEDY = 'set GATEHOUSE_IDENTITY_URL to https:// and a host name (or http://localhost)';

type Person = { readonly id: string; readonly domain_id: string };

export function createPasskeyPolicy({
  db,
  domainSettings,
  relyingParty,
}: {
  readonly db: Database;
  readonly domainSettings: DomainSettingsOf;
  relyingParty(): RelyingParty | undefined;
}) {
  const policyOf = async ({ domain_id: domainId }: Person) => (await domainSettings.of(domainId)).passkeys.policy;
  const everyPolicy = async (reader: Reader) => [
    domainSettings.defaults().passkeys.policy,
    ...(await domainSettings.domains(reader)).map(({ settings }) => settings.passkeys.policy),
  ];

  return {
    /** Whether somebody may: before a person is known. */
    isOffered: async (): Promise<boolean> =>
      relyingParty() !== undefined && (await everyPolicy(db.read)).some((policy) => policy !== 'off'),

    isAllowed: async (person: Person): Promise<boolean> => relyingParty() !== undefined && (await policyOf(person)) !== 'off',

    /** Whether a person has a passkey and may use it. */
    async hasUsable(reader: Reader, userId: string): Promise<boolean> {
      const isOff = (await domainSettings.ofUser(userId, reader)).passkeys.policy === 'off';
      return relyingParty() !== undefined && !isOff && hasPasskey(reader, userId);
    },

    /** Administrators are those with the role admin anywhere, as for applications that act for people. */
    async isRequired({ id }: { readonly id: string }, reader: Reader = db.read): Promise<boolean> {
      const { passkeys } = await domainSettings.ofUser(id, reader);
      return passkeys.policy === 'required_for_administrators' && isAdministratorAnywhere(reader, id);
    },

    /** Nobody would miss what is never offered. */
    async warnImpossible(log: Log, address: string): Promise<void> {
      if (relyingParty() !== undefined || !(await everyPolicy(db.read)).some((policy) => policy !== 'off')) return;
      log.warn({ address }, `people cannot use passkeys, which browsers do not offer at this address; ${REMEDY}`);
    },

    /** Administrators could not sign in at all. That must not be found out one by one. `next`: a policy that is not in force yet. */
    async refuseImpossible(
      address: string,
      next = domainSettings.defaults().passkeys.policy,
      reader: Reader = db.read,
    ): Promise<void> {
      if (relyingParty() !== undefined || ![next, ...(await everyPolicy(reader))].includes('required_for_administrators')) return;
      throw new ConfigError(
        `GATEHOUSE_IDENTITY_PASSKEYS: required_for_administrators needs an address where browsers offer passkeys, which ${address} is not; ${REMEDY}`,
      );
    },
  };
}

export type PasskeyPolicy = ReturnType<typeof createPasskeyPolicy>;
