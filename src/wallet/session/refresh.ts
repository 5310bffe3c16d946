// Keeps sessions in line with the provider: tokens are refreshed before they expire, and checked in between.
import type { Clock } from '../../platform/clock.ts';
import type { ProviderGrant } from '../../platform/openid-client/index.ts';
import { isGrantRevoked, isServerError } from '../../platform/openid-client/index.ts';
import type { SessionDeps } from './deps.ts';
import { changeSession, endUnconfirmedSession } from './end.ts';
import { type Session, sealSession } from './session.ts';
import { claimRefresh, replaceGrant } from './sessions.store.ts';

const REFRESH_EARLY_MS = 60_000;
const REFRESH_AGAIN_MS = 30_000;

type RefreshDeps = Pick<SessionDeps, 'db' | 'clock' | 'seal' | 'provider' | 'checks' | 'log'>;

/** By the service's clock, like all times of a session. */
export const accessEndOf = (clock: Clock, { expiresAt }: ProviderGrant): number | undefined =>
  expiresAt === undefined ? undefined : clock.now() + Math.floor(expiresAt - Date.now());

/** A minute before expiry; half-way for short-lived tokens. Null if there is no refresh token or no expiry. */
export function refreshTimeOf(clock: Clock, { refreshToken, expiresAt }: ProviderGrant): number | null {
  if (refreshToken === undefined || expiresAt === undefined) return null;
  const left = expiresAt - Date.now();
  // A whole number, because the column is an integer and claimRefresh compares it.
  return clock.now() + Math.floor(Math.max(left - REFRESH_EARLY_MS, left / 2, 0));
}

async function replaceSessionGrant(deps: RefreshDeps, session: Session, grant: ProviderGrant): Promise<Session | undefined> {
  const { db, clock, seal, provider, checks } = deps;
  const { idHash, issuer, authTime, endsAt, sid } = session;
  const { expiresAt: _, ...rest } = grant;
  const next = { ...rest, issuer, authTime, endsAt, sid, accessEndsAt: accessEndOf(clock, grant) };
  const sealed = sealSession(seal, idHash, next);
  const alive = await changeSession(db, idHash, (tx) => replaceGrant(tx, idHash, sealed, refreshTimeOf(clock, grant)));
  checks.note(idHash);
  if (alive) return { ...session, ...next };
  // The user logged out meanwhile, so the new token is revoked too.
  if (grant.refreshToken !== undefined) provider.revoke(grant.refreshToken).catch(() => undefined);
  return undefined;
}

export async function refreshSession(deps: RefreshDeps, session: Session): Promise<Session | undefined> {
  const { db, clock, provider, log } = deps;
  const { idHash, refreshAt, claims, idToken, subject, refreshToken } = session;
  const claimed = await changeSession(db, idHash, (tx) => claimRefresh(tx, idHash, refreshAt, clock.now() + REFRESH_AGAIN_MS));
  if (!claimed) return session;
  try {
    const grant = await provider.refresh({ claims, idToken, subject, refreshToken: refreshToken! });
    return await replaceSessionGrant(deps, session, grant);
  } catch (error) {
    if (isGrantRevoked(error)) return endUnconfirmedSession(deps, session);
    log.warn({ err: error }, 'a session could not be refreshed; it will be tried again');
    return session;
  }
}

/** Notices a changed password, a closed account or an ended session before the tokens expire. */
export async function confirmSession(deps: RefreshDeps, session: Session): Promise<Session | undefined> {
  const { provider, checks, log } = deps;
  const active = await provider.isActive(session.accessToken, session.subject).catch((error: unknown) => {
    if (!isServerError(error)) checks.recordOutage();
    log.warn({ err: error }, 'the identity provider cannot be asked about sessions; they stay valid');
    return undefined;
  });
  if (active !== false) {
    checks.note(session.idHash);
    return session;
  }
  // Checked again soon, in case the next step fails for another reason.
  checks.recheckSoon(session.idHash);
  // Only the access token may have expired, or it was just replaced. The refresh decides.
  return session.refreshToken === undefined ? endUnconfirmedSession(deps, session) : refreshSession(deps, session);
}
