// /v3/users/{user_id}/OS-LOCK/lock and /v3/OS-LOCK/locks
import { factsOnly, type IdentityApp, listFacts } from '../../access/rules/index.ts';
import { wholeList } from '../../ground/resource/index.ts';
import type { Users } from '../users/index.ts';
import type { Locks } from './locks.rules.ts';
import { LockEnvelope, LockList, renderLock } from './locks.schema.ts';

const tag = 'Locks';

export function mountLocks(
  app: IdentityApp,
  { locks, users }: { readonly locks: Locks; readonly users: Pick<Users, 'target'> },
): void {
  const path = '/v3/users/:user_id/OS-LOCK/lock';
  const target = ({ params }: { params: { user_id: string } }) => users.target(params.user_id);

  app.get(
    path,
    {
      id: 'getUserLock',
      summary: 'Show whether a user is locked out after wrong passwords or codes',
      description:
        '`locked_out`: nothing lets the user in before `until`. `paused`: after each wrong password further tries wait for up to half a minute, until there were none for a quarter of an hour. Limits of single addresses, which end within a minute, are not shown.',
      tag,
      rule: 'identity:get_user_lock',
      target,
      reply: { 200: LockEnvelope },
    },
    async ({ target: user, base }) => ({ lock: renderLock(base, await locks.show(user)) }),
  );

  app.delete(
    path,
    {
      id: 'unlockUser',
      summary: 'Unlock a user',
      description:
        'Wrong passwords, codes and answers so far do not count any more, at any process. Those that come afterwards do. Whoever unlocks their own account needs a recent login.',
      tag,
      rule: 'identity:unlock_user',
      target,
      reply: { 204: null },
    },
    ({ caller, target: user }) => locks.unlock(caller, user),
  );

  app.get(
    '/v3/OS-LOCK/locks',
    {
      id: 'listUserLocks',
      summary: 'List whether users are locked out',
      description: 'In the order of the ids. Users who are missing, or outside of the domain of the token, are left out.',
      tag,
      rule: 'identity:list_user_locks',
      target: ({ caller }) => factsOnly(listFacts(caller)),
      documentation: { query: { user_id: 'Ids of up to 100 users, with commas between them.' }, required: ['user_id'] },
      reply: { 200: LockList },
    },
    async (call) => wholeList(call, 'locks', await locks.list(call.caller, call.query), renderLock),
  );
}
