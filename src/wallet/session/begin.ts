// Creates a session after a login, and ends the previous session of the browser.
import { newSecret } from '../../platform/ids.ts';
import type { ProviderGrant } from '../../platform/openid-client/index.ts';
import { actForSession, ownerOf } from '../access/index.ts';
import type { SessionRow } from '../ground/database.ts';
import type { SessionDeps } from './deps.ts';
import { accessEndOf, refreshTimeOf } from './refresh.ts';
import { hashOf, openSession, type Session, sealSession, sessionTag, sidHashOf } from './session.ts';
import { deleteSession, insertSession } from './sessions.store.ts';

function rowOf(
  { clock, seal, rules }: Pick<SessionDeps, 'clock' | 'seal' | 'rules'>,
  idHash: string,
  grant: ProviderGrant,
): SessionRow {
  const now = clock.now();
  const endsAt = now + rules.lifeMs;
  const { expiresAt: _, ...rest } = grant;
  const authTime = typeof grant.claims.auth_time === 'number' ? grant.claims.auth_time * 1000 : now;
  return {
    id_hash: idHash,
    owner: ownerOf(grant.issuer, grant.subject),
    sealed: sealSession(seal, idHash, { ...rest, authTime, endsAt, accessEndsAt: accessEndOf(clock, grant) }),
    created_at: now,
    used_at: now,
    ends_at: endsAt,
    refresh_at: refreshTimeOf(clock, grant),
    sid_hash: sidHashOf(grant.issuer, grant.sid),
  };
}

export async function beginSession(
  deps: Omit<SessionDeps, 'cache' | 'pendingChecks'>,
  grant: ProviderGrant,
  formerCookie: string | undefined,
): Promise<{ id: string; session: Session }> {
  const { db, cookies, checks } = deps;
  const id = newSecret();
  const row = rowOf(deps, hashOf(id), grant);
  const former = formerCookie === undefined ? undefined : cookies.open(formerCookie, 'session');
  await db.write(async (tx, invalidate) => {
    if (former !== undefined) {
      await actForSession(db, tx, hashOf(former));
      await deleteSession(tx, hashOf(former));
      invalidate(sessionTag(hashOf(former)));
    }
    await actForSession(db, tx, row.id_hash);
    await insertSession(tx, row);
  });
  checks.note(row.id_hash);
  return { id, session: openSession(deps, row)! };
}
