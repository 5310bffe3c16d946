// Wire shapes of /api/v1/auth.
import { type Static, t } from '../../platform/http/index.ts';
import { described, time } from '../resource/index.ts';
import type { AuthenticatedCaller } from './identity.ts';

const text = (maxLength: number, description: string) => t.string({ maxLength, description });
const asked = {
  return_to: text(2000, 'Where the browser goes afterwards: a path of this service.'),
  response: described(t.oneOf('json'), 'json: the address in the answer instead of a redirection.'),
};

export const LoginQuery = t.object(
  {},
  {
    ...asked,
    prompt: text(50, 'Passed on to the provider, as in OpenID Connect.'),
    login_hint: text(300, 'The user name to fill in at the provider.'),
  },
);
export const LogoutQuery = t.object({}, asked);
export const LogoutToken = t.open({ logout_token: t.string({ minLength: 1, maxLength: 20_000 }) });
export const LoggedOut = t.object({});
export const LoginReply = t.object({ authorizationUrl: t.string() });
export const LogoutReply = t.object({}, { endSessionUrl: t.string() });
export const UserInfo = t.object(
  {
    sub: t.string(),
    iss: t.string(),
    roles: t.array(t.string()),
    administrator: t.boolean({ description: 'May manage the key and the DID of the node itself.' }),
    expiresAt: t.string({ format: 'date-time' }),
    claims: t.record(t.unknown()),
  },
  {
    name: t.string(),
    preferred_username: t.string(),
    email: t.string(),
    email_verified: t.boolean(),
    authTime: t.string({ format: 'date-time' }),
  },
);

/** Claims come from the provider. One with an unexpected type appears only in `claims`. */
const claimOfType = (claims: Readonly<Record<string, unknown>>, name: string, type: 'string' | 'boolean') =>
  typeof claims[name] === type ? { [name]: claims[name] } : {};

export function renderUserInfo({ identity, roles, isAdministrator }: AuthenticatedCaller): Static<typeof UserInfo> {
  const { claims } = identity;
  return {
    sub: identity.subject,
    iss: identity.issuer,
    ...claimOfType(claims, 'name', 'string'),
    ...claimOfType(claims, 'preferred_username', 'string'),
    ...claimOfType(claims, 'email', 'string'),
    ...claimOfType(claims, 'email_verified', 'boolean'),
    roles: [...roles],
    administrator: isAdministrator,
    ...(identity.authTime === undefined ? {} : { authTime: time(identity.authTime) }),
    expiresAt: time(identity.expiresAt),
    claims,
  };
}

/** RFC 9728, 2. */
export const WalletResource = t.object({
  resource: t.string(),
  resource_name: t.string(),
  authorization_servers: t.array(t.string()),
  bearer_methods_supported: t.array(t.string()),
});

t.name({ BackchannelLogout: LogoutToken, LoggedOut, LoginReply, LogoutReply, UserInfo, WalletResource });
