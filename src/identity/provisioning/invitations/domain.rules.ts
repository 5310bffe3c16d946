// Whether a domain takes invitations, and to which addresses.
import type { DomainSettingsOf } from '../../directory/domain-settings/index.ts';
import { fail } from '../../ground/faults.ts';
import { isAllowed } from '../people/index.ts';

/** `address`: as `readAddress` gives it. Not within a transaction. */
export async function checkDomain(
  domainSettings: Pick<DomainSettingsOf, 'of'>,
  domainId: string,
  address: string,
): Promise<void> {
  const { registration, identity } = await domainSettings.of(domainId);
  if (registration.mode === 'off' || identity.driver === 'ldap') fail('invitation.off', { domain: domainId });
  if (!isAllowed(address, registration.allowedEmailDomains))
    fail('request.bad_value', { field: 'email', why: 'addresses at this e-mail domain may not register here' });
}
