// Access tokens outside of OAuth2: for a login at the base API, and for provisioning.
import type { Clock } from '../../../platform/clock.ts';
import { type Access, hasRoleAnywhere, type Ref } from '../../access/index.ts';
import type { Database } from '../../database.ts';
import type { UserWithExpiry } from '../../users/index.ts';
import type { AccessTokens, VerifiedAccessToken } from './access-tokens.ts';
import { PROVISIONING_SCOPE } from './accounts.ts';

/** A login by an access token cannot be revoked together with it, so it is short. */
const LOGIN_MS = 10 * 60_000;

/** Whether it is a token of a user with this scope. Tokens bound to a key are refused: the proof of the key is not available here (RFC 9449). */
const canActForUser = (
  found: VerifiedAccessToken | undefined,
  scope: string,
): found is VerifiedAccessToken & { readonly user: UserWithExpiry } =>
  found?.user !== undefined && found.scope.split(' ').includes(scope) && found.thumbprint === undefined;

export function createDelegation(deps: { db: Database; clock: Clock; access: Access; accessTokens: AccessTokens }) {
  const { db, clock, access, accessTokens } = deps;
  return {
    /**
     * The user of a login by an access token (method `oauth2`). The token needs the scope `all_info`. Never an administrator: an
     * application must not gain the rights of an administrator who signs in to it.
     */
    async userAtLogin(token: string): Promise<{ user: UserWithExpiry; clientId: string; expiresAt: number } | undefined> {
      const found = await accessTokens.verify(token);
      if (!canActForUser(found, 'all_info')) return undefined;
      if (await hasRoleAnywhere(db.read, { userId: found.user.id }, 'admin')) return undefined;
      const expiresAt = Math.min(found.expiresAt * 1000, clock.now() + LOGIN_MS);
      return { user: found.user, clientId: found.clientId, expiresAt };
    },

    /**
     * The user and domain of provisioning by an access token. The user must be an administrator or manager of their own domain, and
     * the token needs the scope `scim`. The application has the rights of a provisioning connection of that domain.
     */
    async provisioner(token: string): Promise<{ userId: string; domain: Ref } | undefined> {
      const found = await accessTokens.verify(token);
      if (!canActForUser(found, PROVISIONING_SCOPE)) return undefined;
      const { id, domain_id: domainId } = found.user;
      const authContext = await access.read(id, { kind: 'domain', id: domainId });
      const may = authContext?.domain && (authContext.roleNames.has('admin') || authContext.roleNames.has('manager'));
      return may ? { userId: id, domain: authContext.domain! } : undefined;
    },
  };
}

export type Delegation = ReturnType<typeof createDelegation>;
