// Logout by the user, or by a logout token of the provider.
import { serviceActor } from '../../platform/audit/index.ts';
import { readLogoutToken, USED_MS } from '../../platform/openid-client/index.ts';
import { fail } from '../ground/faults.ts';
import type { LoginDeps } from './login-deps.ts';
import { ownPath } from './own-path.ts';
import type { Session } from './session.ts';
import { spendOnce } from './sessions.store.ts';

/** Ends the session here first, so that the cookie is invalid whatever the provider does. */
export async function logOut(
  { change, cookies, provider, sessions, origin }: LoginDeps,
  session: Session | undefined,
  returnTo: string | undefined,
): Promise<{ returnTo: string; endSessionUrl: string | undefined; cookies: string[] }> {
  const back = ownPath(returnTo, origin());
  const cleared = [cookies.clear('session'), cookies.clear('flow')];
  if (!session) return { returnTo: back, endSessionUrl: undefined, cookies: cleared };
  await sessions.end(session.idHash);
  await change({ userId: session.owner, requestId: null }, async ({ audit }) =>
    audit('session.ended', { kind: 'session', id: session.idHash }),
  );
  const [, endSessionUrl] = await Promise.all([
    session.refreshToken === undefined ? undefined : provider.revoke(session.refreshToken).catch(() => undefined),
    // The registered address. For any other one the provider would show an error.
    provider.endSessionUrl(session.idToken, `${origin()}/`),
  ]);
  return { returnTo: back, endSessionUrl, cookies: cleared };
}

/** Ends the sessions that a logout token names. */
export async function logOutByProvider({ clock, change, provider, verify, sessions }: LoginDeps, token: string): Promise<void> {
  const { tokenHash, ...ended } = await readLogoutToken(verify, await provider.registered(), token, (why) =>
    fail('invalid-logout-token', { why }),
  );
  await change(serviceActor, async (transaction) => {
    if (!(await spendOnce(transaction.tx, tokenHash, clock.now() + USED_MS)))
      fail('invalid-logout-token', { why: 'it was already used' });
    const gone = await sessions.endByProvider(transaction, ended);
    transaction.audit('sessions.ended_by_provider', { kind: 'logout', id: tokenHash }, { sessions: gone });
  });
}
