// /v3/users

import { seconds } from '../../platform/clock.ts';
import { Answer } from '../../platform/http/index.ts';
import { andThen } from '../../platform/soon.ts';
import type { Deps } from '../deps.ts';
import { FILTERED_USERS, listOf } from '../lists.ts';
import type { IdentityApp } from '../policy.ts';
import { ChangePassword, CreateUser, renderUser, UpdateUser, UserEnvelope, UserList } from './users.schema.ts';
import type { UserWithExpiry } from './users.store.ts';

const tag = 'Users';

export function mountUsers(app: IdentityApp, { users, clock, config }: Pick<Deps, 'users' | 'clock' | 'config'>): void {
  const render = (base: string, user: UserWithExpiry) =>
    renderUser(user, { base, now: seconds(clock), daysInactive: config.disableUserAccountDaysInactive });

  /** Rows are kept in memory, so their texts are worth keeping beside them, unless time alone can close an account. */
  const texts = new WeakMap<UserWithExpiry, { readonly base: string; readonly answer: Answer }>();
  function answerOf(base: string, user: UserWithExpiry): Answer {
    const kept = texts.get(user);
    if (kept?.base === base) return kept.answer;
    const text = JSON.stringify({ user: render(base, user) });
    const answer = new Answer({ text, bytes: Buffer.byteLength(text) });
    if (config.disableUserAccountDaysInactive === undefined) texts.set(user, { base, answer });
    return answer;
  }

  app.get(
    '/v3/users',
    { summary: 'List users', tag, policy: 'identity:list_users', described: FILTERED_USERS, reply: { 200: UserList } },
    async (call) => {
      const page = await users.list(call.caller, call.query);
      return listOf(call, 'users', { ...page, items: page.items.map((user) => render(call.base, user)) });
    },
  );

  app.post(
    '/v3/users',
    { summary: 'Create a user', tag, policy: 'identity:create_user', body: CreateUser, reply: { 201: UserEnvelope } },
    async ({ caller, body, base }) => ({ user: render(base, await users.create(caller, body.user)) }),
  );

  app.get(
    '/v3/users/:user_id',
    { fromMemory: true, summary: 'Show a user', tag, policy: 'identity:get_user', reply: { 200: UserEnvelope } },
    ({ caller, params, base }) => andThen(users.get(caller, params.user_id), (user) => answerOf(base, user)),
  );

  app.patch(
    '/v3/users/:user_id',
    { summary: 'Change a user', tag, policy: 'identity:update_user', body: UpdateUser, reply: { 200: UserEnvelope } },
    async ({ caller, params, body, base }) => ({ user: render(base, await users.update(caller, params.user_id, body.user)) }),
  );

  app.delete(
    '/v3/users/:user_id',
    { summary: 'Delete a user', tag, policy: 'identity:delete_user', reply: { 204: null } },
    async ({ caller, params }) => users.remove(caller, params.user_id),
  );

  app.post(
    '/v3/users/:user_id/password',
    { summary: 'Change one’s own password', tag, access: 'anyone', body: ChangePassword, reply: { 204: null } },
    async ({ params, body, address, requestId, signal }) => {
      const { original_password: original, password } = body.user;
      await users.changePassword({ userId: null, requestId, address, signal }, { id: params.user_id }, original, password);
    },
  );
}
