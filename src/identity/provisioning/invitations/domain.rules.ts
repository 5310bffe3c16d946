// What a domain says about invitations: whether it takes them, to which addresses, and what a new account is asked for.
import { findProject } from '../../access/context/index.ts';
import type { DomainSettings, DomainSettingsOf } from '../../directory/domain-settings/index.ts';
import type { Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import { isAllowed, presentTerms, type Terms } from '../people/index.ts';
import { type FieldUses, fieldUsesOf } from '../registration/index.ts';

type SettingsOf = Pick<DomainSettingsOf, 'ofDomain'>;

const settingsIn = async (reader: Reader, domainSettings: SettingsOf, id: string): Promise<DomainSettings> =>
  domainSettings.ofDomain((await findProject(reader, id)) ?? fail('domain.not_found', { id }));

export const fieldUsesIn = async (reader: Reader, domainSettings: SettingsOf, domainId: string): Promise<FieldUses> =>
  fieldUsesOf(await settingsIn(reader, domainSettings, domainId));

export const termsIn = async (
  reader: Reader,
  { config, domainSettings }: { readonly config: IdentityConfig; readonly domainSettings: SettingsOf },
  domainId: string,
): Promise<Terms | undefined> => presentTerms(config, await settingsIn(reader, domainSettings, domainId));

/** `address`: as `readAddress` gives it. */
export async function checkDomain(reader: Reader, domainSettings: SettingsOf, domainId: string, address: string): Promise<void> {
  const { registration, identity } = await settingsIn(reader, domainSettings, domainId);
  if (registration.mode === 'off' || identity.driver === 'ldap') fail('invitation.off', { domain: domainId });
  if (!isAllowed(address, registration.allowedEmailDomains))
    fail('request.bad_value', { field: 'email', why: 'addresses at this e-mail domain may not register here' });
}
