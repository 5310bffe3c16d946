// Access tokens outside of OAuth2: for a login at the base API, and for provisioning.
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../platform/clock.ts';
import type { CertificateOf } from '../../../platform/http/index.ts';
import { type Access, type AuthMethod, isAdministratorAnywhere, type Ref } from '../../access/context/index.ts';
import { SCIM_API, SCIM_SCOPE } from '../../applications/apis/index.ts';
import { certificateThumbprint } from '../../applications/consumers/index.ts';
import type { UserWithExpiry } from '../../directory/users/index.ts';
import type { Database } from '../../ground/database/index.ts';
import type { Records } from '../records/index.ts';
import type { AccessTokens, VerifiedAccessToken } from './access-tokens.ts';
import { type Accounts, PROVISIONING_SCOPE } from './accounts.ts';
import { methodsOf } from './acr.ts';
import type { ApiTokens } from './api-tokens.ts';

/** A login by an access token does not end when the access token is revoked, so it is short. The application logs in again. */
const LOGIN_MS = 10 * 60_000;

type Bound = Readonly<Record<string, unknown>> | undefined;

/** Whether the token is bound to nothing, or to the certificate with this thumbprint (RFC 8705, 3). A proof of a key is not available here (RFC 9449). */
const isProved = (confirmation: Bound, thumbprint: string | undefined): boolean =>
  confirmation === undefined ||
  (thumbprint !== undefined && confirmation.jkt === undefined && confirmation['x5t#S256'] === thumbprint);

/** Whether it is a token of a user with this scope. `thumbprint`: of the certificate of the connection. */
const canActForUser = (
  found: VerifiedAccessToken | undefined,
  scope: string,
  thumbprint?: string,
): found is VerifiedAccessToken & { readonly user: UserWithExpiry } =>
  found?.user !== undefined && found.scope.split(' ').includes(scope) && isProved(found.confirmation, thumbprint);

/** The user of a login by an access token, and its application. */
export interface DelegatedUser {
  readonly user: UserWithExpiry;
  readonly clientId: string;
  readonly expiresAt: number;
  /** How the person signed in before they authorized the application; empty if that is not known any more. */
  readonly signInMethods: readonly AuthMethod[];
}

export function createDelegation(deps: {
  db: Database;
  clock: Clock;
  access: Access;
  accessTokens: AccessTokens;
  apiTokens: ApiTokens;
  accounts: Pick<Accounts, 'find'>;
  records: Records;
  readonly certificateOf: CertificateOf;
}) {
  const { certificateOf, db, clock, access, accessTokens, apiTokens, accounts, records } = deps;

  /** Of the session, unless the person has signed in there again since. */
  async function signInMethods({ sessionUid, issuedAt, user }: VerifiedAccessToken): Promise<readonly AuthMethod[]> {
    const session = sessionUid === undefined ? undefined : await records.findByUid(sessionUid);
    const isTheirs = session?.accountId === user?.id && Number(session?.loginTs) <= issuedAt;
    return session && isTheirs && Array.isArray(session.amr) ? methodsOf(session.amr as string[]) : [];
  }

  /** The user of a token that was asked for by the address of SCIM (RFC 8707). */
  async function provisioningUser(token: string, thumbprint: string | undefined): Promise<UserWithExpiry | undefined> {
    const found = await apiTokens.verify(token);
    const isGood = found?.api.id === SCIM_API && found.scopes.includes(SCIM_SCOPE) && isProved(found.confirmation, thumbprint);
    return isGood && found.userId !== undefined ? accounts.find(found.userId) : undefined;
  }

  return {
    /**
     * The user of a login by an access token (method `oauth2`). The token needs the scope `all_info`. Never an administrator: an
     * application must not gain the rights of an administrator who signs in to it.
     */
    async userAtLogin(token: string): Promise<DelegatedUser | undefined> {
      const found = await accessTokens.verify(token);
      if (!canActForUser(found, 'all_info')) return undefined;
      if (await isAdministratorAnywhere(db.read, found.user.id)) return undefined;
      const expiresAt = Math.min(found.expiresAt * 1000, clock.now() + LOGIN_MS);
      return { user: found.user, clientId: found.clientId, expiresAt, signInMethods: await signInMethods(found) };
    },

    /**
     * The user and domain of provisioning by an access token. The user must be an administrator or manager of their own domain, and
     * the token needs the scope `scim`. The application has the rights of a provisioning connection of that domain.
     */
    async provisioner(token: string, request: IncomingMessage): Promise<{ userId: string; domain: Ref } | undefined> {
      const certificate = certificateOf(request);
      const thumbprint = certificate && certificateThumbprint(certificate);
      const found = await accessTokens.verify(token);
      const user = canActForUser(found, PROVISIONING_SCOPE, thumbprint) ? found.user : await provisioningUser(token, thumbprint);
      if (!user) return undefined;
      const { id, domain_id: domainId } = user;
      const authContext = await access.read(id, { kind: 'domain', id: domainId });
      const may = authContext?.domain && (authContext.roleNames.has('admin') || authContext.roleNames.has('manager'));
      return may ? { userId: id, domain: authContext.domain! } : undefined;
    },
  };
}

export type Delegation = ReturnType<typeof createDelegation>;
