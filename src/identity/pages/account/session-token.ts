// A token of the base API for the person of a session, which ends with the session.
import type { Provider } from 'oidc-provider';
import type { BrowserRequest } from '../../ground/look/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { SessionTokens } from '../../login/tokens/index.ts';
import { FEDERATED, methodsOf, sessionLifetime } from '../../openid/provider/index.ts';
import { sessionTokenId } from '../../openid/records/index.ts';
import { keepSession } from './renew-session.ts';
import type { SignedInPerson, SignedInPersonDeps } from './signed-in-person.ts';

export interface TokenOfSessionDeps extends Pick<SignedInPersonDeps, 'records' | 'federation'>, Pick<Deps, 'clock'> {
  readonly sessionTokens: SessionTokens;
}

/**
 * Lives for `maxSeconds` at most, and not longer than the session, which it keeps for another idle time. Undefined when the session is not
 * strong enough any more, or has ended meanwhile.
 */
export async function tokenOfSession(
  { records, federation, clock, sessionTokens }: TokenOfSessionDeps,
  provider: Provider,
  browser: BrowserRequest,
  { user, session, lifetimes }: SignedInPerson,
  maxSeconds = lifetimes.tokenSeconds,
): Promise<Awaited<ReturnType<SessionTokens['issue']>>> {
  const { amr = [] } = session;
  const isVouched = amr.includes(FEDERATED);
  const delegation = isVouched ? await federation.sessions.delegationOf(session.uid) : undefined;
  if (isVouched && !delegation) return undefined;
  const token = await sessionTokens.issue(user, {
    methods: methodsOf(amr),
    delegation,
    auditId: sessionTokenId(records.hashOfSession(session.uid)),
    loginAt: Number(session.loginTs) * 1000,
    notAfter: clock.now() + Math.min(maxSeconds, sessionLifetime(lifetimes, session)) * 1000,
  });
  // Not before: a session that ended since it was read has ended the token, or is found to be gone here.
  return token && (await keepSession(provider, browser, session, lifetimes)) ? token : undefined;
}
