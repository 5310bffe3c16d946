// /v3/users

import { seconds } from '../../../platform/clock.ts';
import { Answer, type Query } from '../../../platform/http/index.ts';
import {
  type Caller,
  domainOfNew,
  domainTarget,
  factsOnly,
  type IdentityApp,
  isInPerson,
  listFacts,
} from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import {
  CHANGE_IF_MATCH,
  callerIfMatch,
  DELETE_IF_MATCH,
  type Deps,
  ETAG,
  etagOf,
  listAnswer,
  searchDocumentation,
  USER_LIST_DOCUMENTATION,
  withEtag,
  withExtra,
} from '../../ground/resource/index.ts';
import type { Guesser } from '../passwords/index.ts';
import type { PresentedFactor } from './own-password.rules.ts';
import { userSorts } from './users.lists.ts';
import type { Users } from './users.rules.ts';
import {
  ChangePassword,
  CreateUser,
  type FederatedObject,
  renderUser,
  UpdateUser,
  UserEnvelope,
  UserList,
  userText,
} from './users.schema.ts';
import type { LockCriterion, UserWithExpiry } from './users.store.ts';

const tag = 'Users';

const SEARCHED = searchDocumentation(
  USER_LIST_DOCUMENTATION,
  'name, e-mail address, or a word of the names in the profile',
  userSorts,
);

const LOCKED = {
  locked: 'true: only users who are locked out after wrong passwords or codes. For those who may list locks (`OS-LOCK/locks`).',
};

export interface UserRouteDeps extends Pick<Deps, 'clock' | 'config'> {
  readonly users: Users;
  readonly federation: { readonly advanceLinks: { prepare(caller: Caller, federated: readonly FederatedObject[]): LinkUser } };
  readonly provesSecond: ProvesSecond;
  readonly locks: { filterOf(caller: Caller, query: Query): Promise<LockCriterion | undefined> };
}

/** By what a second factor was shown, if one was sent; fails when it is wrong. */
type ProvesSecond = (
  by: Guesser,
  userId: string,
  sent: { readonly code?: string | undefined; readonly recovery?: string | undefined },
) => Promise<PresentedFactor | undefined>;

/** Links a user with accounts at providers, in the transaction that creates the user. */
type LinkUser = (transaction: Change, user: { readonly id: string; readonly name: string }) => Promise<void>;

export function mountUsers(app: IdentityApp, { users, federation, clock, config, provesSecond, locks }: UserRouteDeps): void {
  const renderingAt = (base: string) => ({ base, now: seconds(clock), daysInactive: config.disableUserAccountDaysInactive });
  const render = (base: string, user: UserWithExpiry) => renderUser(user, renderingAt(base));
  /** With the accounts at providers, as GET shows them. */
  const renderWhole = async (base: string, user: UserWithExpiry) =>
    renderUser({ ...user, federated: await users.accountsAtProviders(user.id) }, renderingAt(base));

  const withoutAccounts = (user: UserWithExpiry): UserWithExpiry => {
    const { federated: _, ...row } = user as UserWithExpiry & { readonly federated?: unknown };
    return row;
  };

  /** Responses are cached with the cached rows, except when accounts are disabled by inactivity. */
  const texts = new WeakMap<UserWithExpiry, { readonly base: string; readonly answer: Answer }>();
  function answerOf(base: string, user: UserWithExpiry): Answer {
    const isKept = config.disableUserAccountDaysInactive === undefined;
    const cached = isKept ? texts.get(user) : undefined;
    if (cached?.base === base) return cached.answer;
    const text = JSON.stringify({ user: render(base, user) });
    // A change of the user does not depend on the accounts at providers, which are not in its row.
    const answer = new Answer({ text, bytes: Buffer.byteLength(text), headers: { ETag: etagOf(withoutAccounts(user)) } });
    if (isKept) texts.set(user, { base, answer });
    return answer;
  }

  const user = ({ params }: { params: { user_id: string } }) => users.target(params.user_id);

  app.get(
    '/v3/users',
    {
      id: 'listUsers',
      summary: 'List users',
      description: 'Sorted by id unless `sort` is given. A token for a domain sees only the users of that domain.',
      tag,
      rule: 'identity:list_users',
      target: ({ caller }) => factsOnly(listFacts(caller)),
      documentation: { ...SEARCHED, query: { ...SEARCHED.query, ...LOCKED } },
      reply: { 200: UserList },
    },
    async (call) => {
      const page = await users.list(call.caller, call.query, await locks.filterOf(call.caller, call.query));
      const rendering = renderingAt(call.base);
      return listAnswer(call, 'users', { ...page, items: page.items.map((user) => userText(user, rendering)) });
    },
  );

  app.post(
    '/v3/users',
    {
      id: 'createUser',
      summary: 'Create a user',
      description:
        'Without `domain_id`, the user is in the domain of the token, else in `default`. The password is checked against the rules of the service and is never shown. A user without a password can log in only in other ways. `federated` names accounts at identity providers that the user signs in by; it needs the right to change providers.',
      tag,
      rule: 'identity:create_user',
      target: ({ caller, body }) => domainTarget(domainOfNew(caller, body.user.domain_id)),
      body: CreateUser,
      reply: { 201: UserEnvelope },
    },
    async ({ caller, target, body, base }) => {
      const { federated = [], ...fields } = body.user;
      const link = federated.length > 0 ? federation.advanceLinks.prepare(caller, federated) : undefined;
      if (!link) return { user: render(base, await users.create(caller, target, fields)) };
      const row = await users.create(caller, target, fields, {
        inTransaction: async (transaction, id) => link(transaction, { id, name: fields.name.trim() }),
      });
      return { user: await renderWhole(base, row) };
    },
  );

  app.get(
    '/v3/users/:user_id',
    {
      fromMemory: true,
      id: 'getUser',
      summary: 'Show a user',
      description: 'Answered from memory.',
      tag,
      rule: 'identity:get_user',
      target: ({ params }) => users.cachedTarget(params.user_id),
      documentation: ETAG,
      reply: { 200: UserEnvelope },
    },
    // Where else a person has accounts is not for an application that acts for them.
    ({ caller, target, base }) => answerOf(base, isInPerson(caller) ? target : withoutAccounts(target)),
  );

  app.patch(
    '/v3/users/:user_id',
    {
      id: 'updateUser',
      summary: 'Change a user',
      description:
        'Only the attributes in the body change; null removes one. A new password, or `enabled: false`, ends all tokens and sessions of the user.',
      tag,
      rule: 'identity:update_user',
      target: user,
      body: UpdateUser,
      documentation: CHANGE_IF_MATCH,
      reply: { 200: UserEnvelope },
    },
    async (call) => {
      const row = await users.update(callerIfMatch('user', call), call.target, call.body.user);
      return withEtag(row, { user: withExtra(row, await renderWhole(call.base, row)) });
    },
  );

  app.delete(
    '/v3/users/:user_id',
    {
      id: 'deleteUser',
      summary: 'Delete a user',
      description:
        'Ends all tokens and sessions, and removes grants, memberships and roles in applications. `OS-IMPACT/deletion` says beforehand what that is.',
      tag,
      rule: 'identity:delete_user',
      target: user,
      documentation: DELETE_IF_MATCH,
      reply: { 204: null },
    },
    (call) => users.remove(callerIfMatch('user', call), call.target),
  );

  app.delete(
    '/v3/users/:user_id/tokens',
    {
      id: 'revokeTokensOfUser',
      summary: 'End all tokens of a user',
      description:
        'Also the sessions, and the tokens that applications got. Applications with a back-channel logout are told. Users may do it for themselves, which ends the token of the request, too. The password, application credentials and trusts stay; tokens made with them end.',
      tag,
      rule: 'identity:revoke_tokens_for_user',
      target: user,
      reply: { 204: null },
    },
    ({ caller, target }) => users.revokeTokens(caller, target),
  );

  mountPasswords(app, users, renderWhole, provesSecond);
}

function mountPasswords(
  app: IdentityApp,
  users: Users,
  render: (base: string, user: UserWithExpiry) => Promise<ReturnType<typeof renderUser>>,
  provesSecond: ProvesSecond,
): void {
  app.post(
    '/v3/users/:user_id/OS-PASSWORD/expire',
    {
      id: 'expirePassword',
      summary: 'Let the password of a user expire',
      description: 'At the next sign-in the user chooses a new one. Sessions and tokens do not end.',
      tag,
      rule: 'identity:expire_password',
      target: ({ params }) => users.target(params.user_id),
      reply: { 200: UserEnvelope },
    },
    async ({ caller, target, base }) => {
      const row = await users.expirePassword(caller, target);
      return withEtag(row, { user: await render(base, row) });
    },
  );

  app.post(
    '/v3/users/:user_id/password',
    {
      id: 'changeOwnPassword',
      summary: 'Change one’s own password',
      description:
        'The present password is the proof, so that a user whose password has expired can do it, too. Wrong ones count as failed logins. A user with a second factor also sends `verification_code` or `recovery_code`; whoever must use a passkey changes the password at the account page. All tokens of the user end.',
      tag,
      rule: 'anyone',
      body: ChangePassword,
      reply: { 204: null },
    },
    async ({ params, body, address, requestId, signal }) => {
      const { original_password: original, password, verification_code: code, recovery_code: recovery } = body.user;
      const guesser = { userId: null, requestId, address, signal };
      const second = (userId: string) => provesSecond(guesser, userId, { code, recovery });
      const by = { ...guesser, ofAnyDomain: true, second };
      await users.changePassword(by, { id: params.user_id }, original, password);
    },
  );
}
