// The token of the console. A page that runs in the browser gets a short one for the person who is signed in, and keeps it in memory:
// the API itself takes no cookie, so no other site can make a browser call it. ADR 020.
import type { Provider } from 'oidc-provider';
import { fail } from '../../ground/faults.ts';
import { type BrowserRequest, refuseCrossSite } from '../../ground/look/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import {
  findSignedInPerson,
  namesOf,
  type SignedInPersonDeps,
  type TokenOfSessionDeps,
  tokenOfSession,
} from '../account/index.ts';

export interface ConsoleSessionDeps extends SignedInPersonDeps, TokenOfSessionDeps, Pick<Deps, 'change'> {}

/** The page renews it. */
const TOKEN_SECONDS = 5 * 60;

/** Browsers name the origin with every POST and DELETE of a script. */
function requireOwnPage(browser: BrowserRequest): void {
  refuseCrossSite(browser);
  if (browser.exchange.request.headers.origin === undefined)
    fail('auth.forbidden', { action: 'console' }, { reason: 'request without an origin' });
}

function sendJson({ exchange: { response } }: BrowserRequest, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

export async function issueToken(
  deps: ConsoleSessionDeps,
  provider: Provider,
  browser: BrowserRequest,
  keys: readonly string[],
): Promise<void> {
  requireOwnPage(browser);
  const person = (await findSignedInPerson(deps, provider, browser, keys)) ?? fail('auth.required');
  const { user, lifetimes } = person;
  const token = await tokenOfSession(deps, provider, browser, person, TOKEN_SECONDS);
  if (!token) fail('auth.required', undefined, { reason: 'the session has ended, or is not strong enough any more' });
  sendJson(browser, 201, {
    token: token.text,
    expires_at: new Date(token.record.expiresAt).toISOString(),
    idle_seconds: lifetimes.sessionIdleSeconds,
    user: { id: user.id, name: user.name, display_name: namesOf(user).name, domain_id: user.domain_id },
  });
}

/** Signs out, as the page of the provider does. The tokens of this page end with the session. */
export async function endSession(
  deps: ConsoleSessionDeps,
  provider: Provider,
  browser: BrowserRequest,
  keys: readonly string[],
): Promise<void> {
  requireOwnPage(browser);
  const person = await findSignedInPerson(deps, provider, browser, keys);
  if (person) {
    const { user, session, actor } = person;
    await deps.change(actor, async (transaction) => {
      await deps.records.signOut(transaction, user.id, deps.records.hashOfSession(session.uid));
      transaction.audit('session.ended', { kind: 'user', id: user.id });
    });
  }
  sendJson(browser, 200, {});
}
