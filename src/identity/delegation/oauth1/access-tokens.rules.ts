// Access tokens of OAuth1: users see and delete them, and consumers log in with them.
import { seconds } from '../../../platform/clock.ts';
import { newSecret } from '../../../platform/ids.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import { tagOf } from '../../access/context/index.ts';
import { actorAsVerified, type Caller, type IdentityTarget } from '../../access/rules/index.ts';
import { loginRefused } from '../../directory/logins/index.ts';
import type { Users, UserWithExpiry } from '../../directory/users/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { OAuth1AccessTokenRow, RoleRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Deps, SignedRequest } from '../../ground/resource/index.ts';
import {
  type AccessToken,
  accessTokensOf,
  consumerNames,
  deleteAccessToken,
  deleteAccessTokensOf,
  deleteAuthorizedRequests,
  findAccessToken,
  sweepOAuth1,
} from './oauth1.store.ts';
import type { OAuth1Requests } from './requests.ts';
import { accessContext } from './tokens.rules.ts';

const KIND = 'oauth1_access_token';

/** All of a user, or one of them; returns how many. When an account is disabled, too: enabling it again must not bring its consumers back. */
export async function endOAuth1AccessTokens({ tx, audit, invalidate }: Change, userId: string, only?: string): Promise<number> {
  const ended = await deleteAccessTokensOf(tx, userId, only);
  for (const id of ended) {
    invalidate(tagOf.delegation({ kind: 'oauth1', id }));
    audit('oauth1_access_token.deleted', { kind: KIND, id }, { user_id: userId });
  }
  return ended.length;
}

/** When the logins of a user end. No list shows what is authorized and not taken, so that nobody could end it later. */
export const endOAuth1Authorizations = ({ tx }: Change, userId: string): Promise<void> => deleteAuthorizedRequests(tx, userId);

export function createOAuth1AccessTokens({
  db,
  clock,
  change,
  users,
  seal,
  requests,
}: Pick<Deps, 'db' | 'clock' | 'change'> & {
  readonly users: Pick<Users, 'find'>;
  readonly seal: Seal;
  readonly requests: OAuth1Requests;
}) {
  return {
    /** Whoever may see those of the user in the address learns whether this is one of them. */
    async target(userId: string, id: string): Promise<IdentityTarget<AccessToken>> {
      const found = await findAccessToken(db.read, id);
      const get = () => (found?.row.user_id === userId ? found : fail('oauth1.access_token_not_found', { id }));
      return { facts: { userId }, get };
    },
    listTarget: (userId: string): IdentityTarget<string> => ({ facts: { userId }, get: () => userId }),
    list: (userId: string): Promise<OAuth1AccessTokenRow[]> => accessTokensOf(db.read, userId),
    /** What their consumers are called, by the ids of these. */
    consumerNames: (rows: readonly OAuth1AccessTokenRow[]): Promise<Map<string, string>> =>
      consumerNames(db.read, [...new Set(rows.map(({ consumer_id }) => consumer_id))]),
    roleOf: ({ roles }: AccessToken, roleId: string): RoleRow =>
      roles.find(({ id }) => id === roleId) ?? fail('role.not_found', { id: roleId }),

    async remove(caller: Caller, { row: { id, user_id, consumer_id } }: AccessToken): Promise<void> {
      await change(actorAsVerified(caller, user_id), async ({ tx, audit, invalidate }) => {
        if (!(await deleteAccessToken(tx, id))) fail('oauth1.access_token_not_found', { id });
        invalidate(tagOf.delegation({ kind: 'oauth1', id }));
        audit('oauth1_access_token.deleted', { kind: KIND, id }, { user_id, consumer_id });
      });
    },

    /** The user and the access token of a login that its consumer signed. */
    async logIn(request: SignedRequest | undefined): Promise<{ readonly user: UserWithExpiry; readonly id: string }> {
      const signed = request ?? fail('oauth1.bad_request', { why: 'the request is not signed' });
      const parameters = requests.read(signed);
      const { token, consumerKey } = parameters;
      if (token === undefined) return fail('oauth1.bad_request', { why: 'oauth_token is missing' });
      const found = (await findAccessToken(db.read, token))?.row;
      const own = found?.consumer_id === consumerKey ? found : undefined;
      // Without the secret no signature is right, so that a stranger learns nothing.
      const secret = own ? seal.open(own.secret, accessContext(own.id)).toString() : newSecret();
      await requests.verify(signed, parameters, secret);
      const user = own && (await users.find(own.user_id));
      if (!own || !user || (own.expires_at !== null && own.expires_at <= seconds(clock)))
        throw loginRefused('access token of OAuth1 unknown or ended');
      if (!(await db.write((tx) => requests.isNew(tx, parameters)))) throw loginRefused('a request of OAuth1 was sent before');
      return { user, id: own.id };
    },

    sweep: (): Promise<number> => sweepOAuth1(db, seconds(clock)),
  };
}

export type OAuth1AccessTokens = ReturnType<typeof createOAuth1AccessTokens>;
