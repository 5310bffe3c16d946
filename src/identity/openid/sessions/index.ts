// /v3/users/{id}/OS-SESSIONS: the sessions of a person, for administrators and the person.

export { mountUserSessions } from './sessions.routes.ts';
export { createUserSessions, liveSessionsOf } from './sessions.rules.ts';
