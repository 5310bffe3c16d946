// Logging in and out through the provider.
import { createHash } from 'node:crypto';
import { type RunChange, theService } from '../../platform/audit/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Tables } from '../database.ts';
import { fail, fault } from '../faults.ts';
import type { Cookies } from './cookies.ts';
import { readLogoutToken, USED_MS } from './logout-token.ts';
import type { Provider } from './provider.ts';
import { refusalOf } from './provider-errors.ts';
import type { Flow } from './provider-grant.ts';
import type { VerifyToken } from './provider-tokens.ts';
import type { Session } from './session.ts';
import { spendOnce } from './sessions.store.ts';
import type { Sessions } from './sessions.ts';

const FLOW_SECONDS = 600;
/** An OAuth error is a word (RFC 6749, 4.1.2.1); what else comes in its place is not repeated. */
const OAUTH_ERROR = /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,100}$/;

/** Begins with one slash, and has no backslash, space or control character: browsers drop or turn those. */
const PLAIN_PATH = /^\/(?![/\\])[^\\\s\p{Cc}]*$/u;

/** It travels in a cookie. */
const MAX_PATH = 2000;

interface LoginFlow extends Flow {
  readonly returnTo: string;
  readonly begunAt: number;
}

/** A page of our own, and nothing that a browser could take for another host. */
export function ownPath(given: string | undefined, origin: string): string {
  if (given === undefined) return '/';
  const url = PLAIN_PATH.test(given) ? URL.parse(given, origin) : null;
  // As a header can carry it. Without its dots it may begin with two slashes after all.
  const path = url?.origin === origin ? url.href.slice(origin.length) : '';
  return PLAIN_PATH.test(path) && path.length <= MAX_PATH
    ? path
    : fail('invalid-request', { why: 'return_to must be a path of this service, as /wallet' });
}

export function createLogins(deps: {
  clock: Clock;
  change: RunChange<Tables>;
  cookies: Cookies;
  provider: Provider;
  verify: VerifyToken;
  sessions: Sessions;
  publicUrl(): string;
  sessionSeconds: number;
}) {
  const { clock, change, cookies, provider, verify, sessions, publicUrl } = deps;
  const origin = (): string => new URL(publicUrl()).origin;

  async function begin(more: { returnTo?: string | undefined; prompt?: string | undefined; loginHint?: string | undefined }) {
    const flow: LoginFlow = { ...provider.newFlow(), returnTo: ownPath(more.returnTo, origin()), begunAt: clock.now() };
    const authorizationUrl = await provider.authorizationUrl(flow, more);
    return { authorizationUrl, cookie: cookies.set('flow', JSON.stringify(flow), FLOW_SECONDS) };
  }

  /** The login this browser began, if that is the one the provider answers. */
  function flowOf(text: string | undefined, state: string | null): LoginFlow {
    const plain = text === undefined ? undefined : cookies.open(text, 'flow');
    const flow = plain === undefined ? undefined : (JSON.parse(plain) as LoginFlow);
    if (!flow || state === null || flow.state !== state || clock.now() - flow.begunAt > FLOW_SECONDS * 1000)
      fail('login-state-mismatch', undefined, cleared);
    return flow;
  }

  /** Whatever comes of it, this login is over. */
  const cleared = {
    get headers() {
      return { 'Set-Cookie': cookies.clear('flow') };
    },
  };

  const refused = (error: string) => {
    const word = OAUTH_ERROR.test(error) ? error : 'invalid_response';
    return fault('login-refused', undefined, { ...cleared, detail: { protocol: { error: word } } });
  };

  async function finish(returned: URLSearchParams, given: { flow: string | undefined; session: string | undefined }) {
    const flow = flowOf(given.flow, returned.get('state'));
    await change(theService, async ({ tx, audit }) => {
      const stateHash = createHash('sha256').update(flow.state).digest('base64url');
      if (!(await spendOnce(tx, stateHash, flow.begunAt + FLOW_SECONDS * 1000))) fail('login-state-mismatch', undefined, cleared);
      audit('login.returned', { kind: 'login', id: stateHash });
    });
    const error = returned.get('error');
    if (error !== null) throw refused(error);
    const grant = await provider.redeem(returned, flow).catch((problem: unknown) => {
      const refusal = refusalOf(problem);
      if (refusal !== undefined) throw refused(refusal);
      return fail('identity-provider-unavailable', undefined, { ...cleared, reason: String(problem) });
    });
    const { id, session } = await sessions.begin(grant, given.session);
    await change({ userId: session.owner, requestId: null }, async ({ audit }) =>
      audit('session.begun', { kind: 'session', id: session.idHash }),
    );
    return {
      returnTo: flow.returnTo,
      cookies: [cookies.set('session', id, deps.sessionSeconds), cookies.clear('flow')],
    };
  }

  /** Ends it here first: whatever the provider does, this cookie is dead. */
  async function end(session: Session | undefined, returnTo: string | undefined) {
    const back = ownPath(returnTo, origin());
    const cleared = [cookies.clear('session'), cookies.clear('flow')];
    if (!session) return { returnTo: back, endSessionUrl: undefined, cookies: cleared };
    await sessions.end(session.idHash);
    await change({ userId: session.owner, requestId: null }, async ({ audit }) =>
      audit('session.ended', { kind: 'session', id: session.idHash }),
    );
    const [, endSessionUrl] = await Promise.all([
      session.refreshToken === undefined ? undefined : provider.revoke(session.refreshToken).catch(() => undefined),
      // The address that is registered there: a provider that is asked for another one shows the person an error.
      provider.endSessionUrl(session.idToken, `${origin()}/`),
    ]);
    return { returnTo: back, endSessionUrl, cookies: cleared };
  }

  /** The provider says who is logged out there. */
  async function endByProvider(token: string): Promise<void> {
    const { once, ...ended } = await readLogoutToken(verify, await provider.clientId(), token);
    await change(theService, async (inside) => {
      if (!(await spendOnce(inside.tx, once, clock.now() + USED_MS))) fail('invalid-logout-token', { why: 'it came before' });
      const gone = await sessions.endByProvider(inside, ended);
      inside.audit('sessions.ended_by_provider', { kind: 'logout', id: once }, { sessions: gone });
    });
  }

  return { origin, begin, finish, end, endByProvider };
}

export type Logins = ReturnType<typeof createLogins>;
