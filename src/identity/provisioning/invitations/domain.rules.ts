// Whether a domain takes invitations, and to which addresses.
import { findProject } from '../../access/context/index.ts';
import type { DomainSettingsOf } from '../../directory/domain-settings/index.ts';
import type { Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { isAllowed } from '../people/index.ts';

/** `address`: as `readAddress` gives it. */
export async function checkDomain(
  reader: Reader,
  domainSettings: Pick<DomainSettingsOf, 'ofDomain'>,
  domainId: string,
  address: string,
): Promise<void> {
  const domain = (await findProject(reader, domainId)) ?? fail('domain.not_found', { id: domainId });
  const { registration, identity } = domainSettings.ofDomain(domain);
  if (registration.mode === 'off' || identity.driver === 'ldap') fail('invitation.off', { domain: domainId });
  if (!isAllowed(address, registration.allowedEmailDomains))
    fail('request.bad_value', { field: 'email', why: 'addresses at this e-mail domain may not register here' });
}
