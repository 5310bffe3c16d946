// Whether a domain takes invitations, and to which addresses.
import type { DomainSettingsOf } from '../domain-settings/index.ts';
import { fail } from '../faults.ts';

/** Subdomains are not included. */
const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** Not within a transaction. */
export async function checkDomain(
  domainSettings: Pick<DomainSettingsOf, 'of'>,
  domainId: string,
  address: string,
): Promise<void> {
  const { registration, identity } = await domainSettings.of(domainId);
  if (registration.mode === 'off' || identity.driver === 'ldap') fail('invitation.off', { domain: domainId });
  const allowed = registration.allowedEmailDomains.map((domain) => domain.toLowerCase());
  if (allowed.length > 0 && !allowed.includes(domainOf(address)))
    fail('request.bad_value', { field: 'email', why: 'addresses at this e-mail domain may not register here' });
}
