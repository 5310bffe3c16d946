// The token of the console. A page that runs in the browser gets a short one for the person who is signed in, and keeps it in memory:
// the API itself takes no cookie, so no other site can make a browser call it. ADR 020.
import { createHash } from 'node:crypto';
import type { Provider } from 'oidc-provider';
import { tagOf } from '../../access/index.ts';
import { fail } from '../../faults.ts';
import type { Deps } from '../../resource/index.ts';
import type { Revocations, SessionTokens } from '../../tokens/index.ts';
import { namesOf } from '../account/names.ts';
import { keepSession } from '../account/renew-session.ts';
import { findSignedInPerson, type SignedInPersonDeps } from '../account/signed-in-person.ts';
import { type BrowserRequest, refuseCrossSite } from '../pages/browser.ts';
import { methodsOf } from '../provider/acr.ts';

/** After the session has ended elsewhere, the page can go on for so long at most. */
const TOKEN_MS = 5 * 60_000;

export interface ConsoleSessionDeps extends SignedInPersonDeps, Pick<Deps, 'change' | 'clock' | 'config'> {
  readonly sessionTokens: SessionTokens;
  readonly revocations: Pick<Revocations, 'revokeSession'>;
}

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

/** The uid of a session is not told to anybody, not even as a part of a token. */
const auditIdOf = (uid: string): string =>
  createHash('sha256').update(`console ${uid}`).digest().subarray(0, 16).toString('base64url');

export async function issueToken(
  deps: ConsoleSessionDeps,
  provider: Provider,
  browser: BrowserRequest,
  keys: readonly string[],
): Promise<void> {
  requireOwnPage(browser);
  const person = (await findSignedInPerson(deps, provider, browser, keys)) ?? fail('auth.required');
  const { user, session } = person;
  const token = await deps.sessionTokens.issue(user, {
    methods: methodsOf(session.amr ?? []),
    epoch: user.epoch,
    auditId: auditIdOf(session.uid),
    loginAt: Number(session.loginTs) * 1000,
    notAfter: deps.clock.now() + TOKEN_MS,
  });
  if (!token) fail('auth.required', undefined, { reason: 'the session is not strong enough any more' });
  const idleSeconds = deps.config.sessionIdleSeconds;
  if (!(await keepSession(provider, browser, session, idleSeconds)))
    fail('auth.required', undefined, { reason: 'the session has ended meanwhile' });
  sendJson(browser, 201, {
    token: token.text,
    expires_at: new Date(token.record.expiresAt).toISOString(),
    idle_seconds: idleSeconds,
    user: { id: user.id, name: user.name, display_name: namesOf(user).name, domain_id: user.domain_id },
  });
}

/** Signs out. Applications are told as at any end of a session, and the tokens of this page end with it. */
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
      await deps.records.endSessionsByHash(transaction, user.id, [deps.records.hashOfSession(session.uid)]);
      await deps.revocations.revokeSession(transaction, auditIdOf(session.uid), deps.clock.now() + TOKEN_MS);
      transaction.invalidate(tagOf.user(user.id));
      transaction.audit('session.ended', { kind: 'user', id: user.id });
    });
  }
  sendJson(browser, 200, {});
}
