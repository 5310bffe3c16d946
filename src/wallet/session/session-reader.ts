// Reads the cookies of requests that may have a session but do not need one.
import type { IncomingHttpHeaders } from 'node:http';
import type { Cookies } from './cookies.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';

export function createSessionReader(cookies: Cookies, sessions: Sessions) {
  return {
    cookies: (headers: IncomingHttpHeaders) => ({
      flow: cookies.read(headers, 'flow'),
      session: cookies.read(headers, 'session'),
    }),
    async find(headers: IncomingHttpHeaders): Promise<Session | undefined> {
      const cookie = cookies.read(headers, 'session');
      return cookie === undefined ? undefined : sessions.find(cookie);
    },
  };
}

export type SessionReader = ReturnType<typeof createSessionReader>;
