// For whom an access token may act outside of OAuth2: at a login of the base API, and in provisioning.
import type { Clock } from '../../../platform/clock.ts';
import { type Access, hasRoleAnywhere, type Ref } from '../../access/index.ts';
import type { Database } from '../../database.ts';
import type { UserWithExpiry } from '../../users/index.ts';
import type { AccessTokens, GoodToken } from './access-tokens.ts';
import { PROVISION } from './accounts.ts';

/** What comes of a login by an access token cannot be taken back with it, so it does not last. */
const LOGIN_MS = 10 * 60_000;

/** A token of a person with this scope, that is not bound to a key: there is no proof of that key here (RFC 9449). */
const actsFor = (found: GoodToken | undefined, scope: string): found is GoodToken & { readonly user: UserWithExpiry } =>
  found?.user !== undefined && found.scope.split(' ').includes(scope) && found.thumbprint === undefined;

export function createActingFor(deps: { db: Database; clock: Clock; access: Access; accessTokens: AccessTokens }) {
  const { db, clock, access, accessTokens } = deps;
  return {
    /**
     * Who logs in by an access token (method `oauth2`): its user, when they gave the application everything. Never an
     * administrator: an application that one signs in to must not become one.
     */
    async userAtLogin(token: string): Promise<{ user: UserWithExpiry; clientId: string; expiresAt: number } | undefined> {
      const found = await accessTokens.verify(token);
      if (!actsFor(found, 'all_info')) return undefined;
      if (await hasRoleAnywhere(db.read, { userId: found.user.id }, 'admin')) return undefined;
      const expiresAt = Math.min(found.expiresAt * 1000, clock.now() + LOGIN_MS);
      return { user: found.user, clientId: found.clientId, expiresAt };
    },

    /**
     * Who provisions with an access token: someone who administers or manages their own domain, and let the application do so
     * there (scope `scim`). The application then is what a provisioning connection of that domain is, and no more.
     */
    async provisioner(token: string): Promise<{ userId: string; domain: Ref } | undefined> {
      const found = await accessTokens.verify(token);
      if (!actsFor(found, PROVISION)) return undefined;
      const { id, domain_id: domainId } = found.user;
      const authContext = await access.read(id, { kind: 'domain', id: domainId });
      const may = authContext?.domain && (authContext.roleNames.has('admin') || authContext.roleNames.has('manager'));
      return may ? { userId: id, domain: authContext.domain! } : undefined;
    },
  };
}

export type ActingFor = ReturnType<typeof createActingFor>;
