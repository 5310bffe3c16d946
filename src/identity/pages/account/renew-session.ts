// A new session for a person who changed their password or turned a second factor on, which ended all their sessions. It is the same for the person, but the secret in
// the cookie is new: whoever copied the old one is signed out.
import type { Provider, Session } from 'oidc-provider';
import type { BrowserRequest } from '../../ground/look/index.ts';
import { sessionLifetime, withCode } from '../../openid/provider/index.ts';
import type { Lifetimes, Records } from '../../openid/records/index.ts';

/** Members of the library that its types lack. */
interface SessionCookies {
  createContext(
    request: unknown,
    response: unknown,
  ): { cookies: { secure: boolean; set(name: string, value: string, options: object): void } };
  cookieName(type: string): string;
}
type SessionModel = new () => Session & { loginAccount(details: object): void };

type SessionLifetimes = Pick<Lifetimes, 'sessionIdleSeconds' | 'sessionSeconds'>;

/**
 * `generation`: the person's generation after the change. If it has changed again since, the session is not valid. `method`: the code that they
 * gave for the change.
 */
export async function renewSession(
  records: Records,
  provider: Provider,
  browser: BrowserRequest,
  old: Session,
  { generation, method }: { readonly generation: number; readonly method?: 'totp' | undefined },
): Promise<void> {
  records.rebind(old.accountId!, generation);
  const session = new (provider.Session as unknown as SessionModel)();
  const { accountId, loginTs, acr } = old;
  const amr = method ? withCode(old.amr ?? []) : old.amr;
  session.uid = old.uid;
  session.loginAccount({ accountId, loginTs, amr, acr });
  await keepSession(provider, browser, session, records.lifetimesOf(accountId));
}

/**
 * Stores a session, and its cookie, for another idle time. False when the session has ended since it was read: then the browser
 * may have the cookie of another one already, which stays.
 */
export async function keepSession(
  provider: Provider,
  { exchange: { request, response }, secure }: BrowserRequest,
  session: Session,
  lifetimes: SessionLifetimes,
): Promise<boolean> {
  const age = sessionLifetime(lifetimes, session);
  await session.save(age);
  if (!(await provider.Session.find(session.jti))) return false;
  const library = provider as unknown as SessionCookies;
  const { cookies } = library.createContext(request, response);
  cookies.secure = secure;
  const options = { httpOnly: true, sameSite: 'lax', signed: true, path: '/', maxAge: age * 1000, overwrite: true };
  cookies.set(library.cookieName('session'), session.jti, options);
  return true;
}
