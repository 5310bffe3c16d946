// /v3/users/{user_id}/OS-SESSIONS/sessions
import type { IdentityApp } from '../../access/rules/index.ts';
import type { Users } from '../../directory/users/index.ts';
import { wholeList } from '../../ground/resource/index.ts';
import type { UserSessions } from './sessions.rules.ts';
import { renderSession, SessionList } from './sessions.schema.ts';

const tag = 'Sessions';

export function mountUserSessions(
  app: IdentityApp,
  { userSessions, users }: { readonly userSessions: UserSessions; readonly users: Users },
): void {
  const path = '/v3/users/:user_id/OS-SESSIONS/sessions';
  const target = ({ params }: { params: { user_id: string } }) => users.target(params.user_id);

  app.get(
    path,
    {
      id: 'listUserSessions',
      summary: 'List where a person is signed in',
      description: 'Browser, address, times, how they signed in, and the applications they went to.',
      tag,
      rule: 'identity:list_user_sessions',
      target,
      reply: { 200: SessionList },
    },
    async (call) => {
      const sessions = await userSessions.list(call.caller, call.target.id);
      return wholeList(
        call,
        'sessions',
        sessions.map((session) => renderSession(call.base + call.path, session)),
      );
    },
  );

  app.delete(
    path,
    {
      id: 'endUserSessions',
      summary: 'End all sessions of a person',
      description: 'With the tokens that applications got in them. Applications with a back-channel logout are told.',
      tag,
      rule: 'identity:end_user_sessions',
      target,
      reply: { 204: null },
    },
    ({ caller, target: { id } }) => userSessions.endAll(caller, id),
  );

  app.delete(
    '/v3/users/:user_id/OS-SESSIONS/sessions/:session_id',
    {
      id: 'endUserSession',
      summary: 'End one session of a person',
      description: 'With the tokens that applications got in it. Applications with a back-channel logout are told.',
      tag,
      rule: 'identity:end_user_sessions',
      target,
      reply: { 204: null },
    },
    ({ caller, target: { id }, params }) => userSessions.endOne(caller, id, params.session_id),
  );
}
