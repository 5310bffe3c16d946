// Which ways to get tokens (grants) an application may use.
import type { ConsumerRow } from '../../ground/database/index.ts';
import { parseJson } from '../../ground/resource/index.ts';
import { CIBA, DEVICE, GRANTS, openidFieldsOf, PRE_AUTHORIZED, TOKEN_EXCHANGE } from './openid-fields.ts';
import { profileOf, SECURITY_PROFILES } from './security-profiles.ts';

type Grant = (typeof GRANTS)[number];

/** Without a list of its own, an application may use all but those that must be registered: `password`, Keyrock's `implicit`, and CIBA. */
const COMMON: readonly Grant[] = [
  'authorization_code',
  'refresh_token',
  DEVICE,
  PRE_AUTHORIZED,
  'client_credentials',
  TOKEN_EXCHANGE,
];
/** Those for applications that authenticate (RFC 6749, 4.4). */
const CONFIDENTIAL: readonly Grant[] = ['client_credentials', TOKEN_EXCHANGE, CIBA];

type Registered = Pick<ConsumerRow, 'client_type' | 'grant_type' | 'extra'>;

export function grantsOf({ client_type: type, grant_type: registered, extra }: Registered): ReadonlySet<Grant> {
  const fields = openidFieldsOf(parseJson(extra));
  const listed = fields.allowed_grant_types as readonly string[] | undefined;
  const profile = profileOf(fields);
  const isInProfile = (one: Grant): boolean => profile === undefined || SECURITY_PROFILES[profile].grants.includes(one);
  const isAllowed = (one: Grant): boolean =>
    isInProfile(one) && (listed ? listed.includes(one) : COMMON.includes(one) || one === registered);
  return new Set(GRANTS.filter((one) => isAllowed(one) && (!CONFIDENTIAL.includes(one) || type === 'confidential')));
}
