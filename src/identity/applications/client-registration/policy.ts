// What the policy of a domain says about applications that register themselves, and about those that did.
import type { DomainSettings } from '../../directory/domain-settings/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import { DEVICE, isLoopback } from '../consumers/index.ts';

export type Policy = DomainSettings['application_registration'];
export type Origin = NonNullable<ConsumerRow['registered_by']>;

/** Whether the policy lets applications in that came to be in this way. What is switched off ends those that are there. */
export const ALLOWS: Readonly<Record<Origin, (policy: Policy) => boolean>> = {
  token: ({ mode }) => mode !== 'off',
  open: ({ mode }) => mode === 'open',
  document: ({ documents }) => documents === 'allowed',
};

/** The names of the grants in protocols, by their short names in settings. */
const GRANT_TYPES: Readonly<Record<Policy['grants'][number], string>> = {
  authorization_code: 'authorization_code',
  refresh_token: 'refresh_token',
  device_code: DEVICE,
};
export const grantTypesOf = ({ grants }: Policy): string[] => grants.map((grant) => GRANT_TYPES[grant]);

/** A name that people can read and that leads to one place: neither an address nor a name of a local network. */
const isHostName = (hostname: string): boolean => /\.[a-z][a-z\d-]*$/.test(hostname.replace(/\.$/, ''));

function allowsHost(hostname: string, { redirects }: Policy): boolean {
  return redirects.some((one) => {
    if (one === 'https') return isHostName(hostname);
    return one.startsWith('*.') ? hostname.endsWith(one.slice(1)) : hostname === one;
  });
}

/** Why people may not be sent there. The text is a redirect URI already. */
export function redirectProblem(uri: string, policy: Policy): string | undefined {
  if (isLoopback(uri))
    return policy.redirects.includes('loopback') ? undefined : 'the policy allows no programs on the machine of the person';
  const { protocol, hostname } = new URL(uri);
  if (protocol !== 'https:') return 'it must begin with https, or lead to a program on the machine of the person (RFC 8252, 7.3)';
  return allowsHost(hostname, policy) ? undefined : 'the policy does not allow its host';
}
