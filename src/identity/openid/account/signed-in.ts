// Who is at the account page: the person of the session, as long as it stands.
import type { Provider, Session } from 'oidc-provider';
import type { Access } from '../../access/index.ts';
import type { LoginAttempt } from '../../logins/index.ts';
import type { Guesser } from '../../passwords/index.ts';
import type { Users, UserWithExpiry } from '../../users/index.ts';
import { type Browser, redirect } from '../pages/browser.ts';
import { OWN_CLIENT } from '../provider/own-client.ts';
import type { Records } from '../provider/records/records.ts';

export interface SignedInDeps {
  readonly access: Access;
  readonly users: Users;
  readonly records: Records;
  readonly config: { readonly sessionSeconds: number };
}

export interface SignedIn {
  readonly user: UserWithExpiry;
  readonly session: Session;
  readonly actor: Guesser & LoginAttempt;
}

export async function signedIn(
  { access, users, records, config }: SignedInDeps,
  provider: Provider,
  browser: Browser,
): Promise<SignedIn | undefined> {
  const { request: req, response: res, requestId, address, signal } = browser.exchange;
  const session = await provider.Session.get({ req, res, secure: browser.secure } as never);
  const { accountId } = session;
  if (!accountId || session.past(config.sessionSeconds)) return undefined;
  // Closed, of a closed domain, or with another password since the session was found.
  const authContext = await access.read(accountId, { kind: 'unscoped' });
  const user = authContext?.userGeneration === records.generationOf(accountId) ? await users.find(accountId) : undefined;
  if (!authContext || user?.epoch !== authContext.userEpoch) return undefined;
  return { user, session, actor: { userId: user.id, requestId, address, signal, epoch: user.epoch, via: 'account page' } };
}

/** Signing in is what applications do; this page is one, of our own. */
export function askToSignIn(issuer: string, browser: Browser, more: Readonly<Record<string, string>> = {}): void {
  const query = new URLSearchParams({
    client_id: OWN_CLIENT,
    response_type: 'none',
    scope: 'openid',
    redirect_uri: `${issuer}/account`,
    ...more,
  });
  redirect(browser, `/openid/authorize?${query}`);
}
