// The person at the account page, by their session.
import type { Provider, Session } from 'oidc-provider';
import type { Access } from '../../access/context/index.ts';
import type { FreshLogin, PersonLogin } from '../../access/rules/index.ts';
import type { DomainLooks } from '../../directory/domain-looks/index.ts';
import type { LoginAttempt } from '../../directory/logins/index.ts';
import type { Guesser } from '../../directory/passwords/index.ts';
import type { Users, UserWithExpiry } from '../../directory/users/index.ts';
import type { Actor } from '../../ground/audit/index.ts';
import { type BrowserRequest, type PageLook, passkeyChallenges, redirect, sendPage } from '../../ground/look/index.ts';
import { testPoint } from '../../ground/test-points.ts';
import type { Federation } from '../../login/federation/index.ts';
import { ACCOUNT_CLIENT } from '../../openid/first-party-clients/index.ts';
import { DOMAIN_HINT, FEDERATED, methodsOf } from '../../openid/provider/index.ts';
import type { Lifetimes, Records } from '../../openid/records/index.ts';
import { notSignedInPage } from '../sign-in/index.ts';
import { readerOf } from './names.ts';
import { renewSession } from './renew-session.ts';

const MAX_USER_AGENT = 255;

export interface SignedInPersonDeps {
  readonly access: Access;
  readonly users: Users;
  readonly records: Records;
  readonly federation: Federation;
  readonly freshLogin: FreshLogin;
  readonly domainLooks: Pick<DomainLooks, 'brandOf'>;
}

export interface SignedInPerson {
  readonly user: UserWithExpiry;
  readonly session: Session;
  /** As their domain says. */
  readonly lifetimes: Lifetimes;
  /** How they signed in, which may not be enough any more. */
  readonly login: PersonLogin;
  /** With the epoch that was checked: a change fails if the account was changed since, or if the sign-in is not enough any more. */
  readonly actor: Actor & Guesser & LoginAttempt & { readonly epoch: number };
  /** What a new passkey signs in this session. */
  readonly challenges: readonly string[];
  /** A new session in this browser, after the person's own change ended all. `method`: what they proved with it, beside how they signed in. */
  renewSession(method?: 'totp'): Promise<void>;
}

/** How pages for a person look: as their domain has it, in their language and zone. */
export const lookFor = async (
  { domainLooks }: Pick<SignedInPersonDeps, 'domainLooks'>,
  look: PageLook,
  user: Pick<UserWithExpiry, 'domain_id' | 'profile'>,
): Promise<PageLook> => look.in(await domainLooks.brandOf(user.domain_id)).for(readerOf(user));

export async function findSignedInPerson(
  { access, users, records, federation, freshLogin }: SignedInPersonDeps,
  provider: Provider,
  browser: BrowserRequest,
  keys: readonly string[],
): Promise<SignedInPerson | undefined> {
  const { request: req, response: res, requestId, address, signal } = browser.exchange;
  const session = await provider.Session.get({ req, res, secure: browser.secure } as never);
  const { accountId } = session;
  const lifetimes = records.lifetimesOf(accountId);
  if (!accountId || session.past(lifetimes.sessionSeconds)) return undefined;
  // The provider through which the person signed in may have ended the session.
  if (session.amr?.includes(FEDERATED) && !(await federation.sessions.isLive(session.uid))) return undefined;
  await testPoint('session.before-state');
  // No access if the account or its domain was disabled, or the password changed, since the session was read.
  const authContext = await access.read(accountId, { kind: 'unscoped' });
  await testPoint('session.before-user');
  const user = authContext?.userGeneration === records.generationOf(accountId) ? await users.find(accountId) : undefined;
  if (!authContext || user?.epoch !== authContext.userEpoch) return undefined;
  const challenges = passkeyChallenges(keys, `account ${session.uid} ${user.id}`);
  const userAgent = (req.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT);
  const origin = { address, user_agent: userAgent };
  const login = { userId: user.id, methods: methodsOf(session.amr ?? []) };
  const by = { userId: user.id, requestId, address, userAgent, origin, signal, epoch: user.epoch, via: 'account page' };
  const actor = freshLogin.checkedAgain(by, login);
  const renew = (method?: 'totp') =>
    renewSession(records, provider, browser, session, { generation: authContext.userGeneration + 1, method });
  return { user, session, lifetimes, login, actor, challenges, renewSession: renew };
}

/**
 * For somebody who is not signed in. Whoever came back from the sign-in without one has left it: then they are not sent there again.
 * `token`: what the page needs again, which comes back as `state`.
 */
export function askToSignIn(issuer: string, browser: BrowserRequest, path: string, token?: string): void {
  const query = new URLSearchParams((browser.exchange.request.url ?? '').split('?', 2)[1]);
  const again = token === undefined ? path : `${path}?${new URLSearchParams({ token })}`;
  const domain = query.get(DOMAIN_HINT);
  const more = { ...(token === undefined ? {} : { state: token }), ...(domain === null ? {} : { [DOMAIN_HINT]: domain }) };
  if (query.has('error')) sendPage(browser, notSignedInPage(browser.look, again));
  else redirectToSignIn(issuer, browser, path, more);
}

/** The account pages sign people in like any application, and then lead back to `path`. */
export function redirectToSignIn(
  issuer: string,
  browser: BrowserRequest,
  path: string,
  more: Readonly<Record<string, string>> = {},
): void {
  const query = new URLSearchParams({
    client_id: ACCOUNT_CLIENT,
    response_type: 'none',
    scope: 'openid',
    redirect_uri: `${issuer}${path}`,
    ...more,
  });
  redirect(browser, `/openid/authorize?${query}`);
}
