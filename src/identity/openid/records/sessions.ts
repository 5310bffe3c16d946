// Where sessions were opened, and when they were last used: at a sign-in, or when an application renews its tokens.
import { seconds } from '../../../platform/clock.ts';
import type { Tx } from '../../ground/database/index.ts';
import { hashOf } from '../../ground/resource/index.ts';
import { type FindDeps, listOfUser } from './find.ts';
import type { RecordPayload } from './record.ts';
import type { RecordToSave, SaveDeps } from './save-deps.ts';
import { putSession, sessionsOfUser, touchSession } from './sessions.store.ts';

const MAX_USER_AGENT = 255;

/** A session of a person. Times in seconds. */
export interface UserSession {
  /** Not secret. */
  readonly id: string;
  readonly uid: string | undefined;
  readonly signedInAt: number;
  /** How the person proved who they are (RFC 8176). */
  readonly amr: readonly string[];
  /** The applications that they went to. */
  readonly clientIds: readonly string[];
  /** Undefined for sessions of earlier versions. */
  readonly origin?: { readonly userAgent: string; readonly address: string; readonly lastUsedAt: number } | undefined;
}

/** Called when a record is saved, in its transaction. */
export async function noteSessionUse(
  { clock, requestState }: SaveDeps,
  tx: Tx,
  { model, payload }: RecordToSave,
  userId: string | null,
): Promise<void> {
  const now = seconds(clock);
  const origin = requestState.origin();
  if (model === 'Session' && userId !== null && payload.uid !== undefined && origin) {
    await putSession(tx, {
      id: hashOf('uid', payload.uid),
      user_id: userId,
      user_agent: origin.userAgent.slice(0, MAX_USER_AGENT),
      address: origin.address,
      signed_in_at: signedInAt(payload) ?? now,
      last_used_at: now,
    });
  }
  // The address is that of the application.
  if (model === 'RefreshToken' && typeof payload.sessionUid === 'string')
    await touchSession(tx, hashOf('uid', payload.sessionUid), now);
}

const signedInAt = ({ loginTs }: RecordPayload): number | undefined => (typeof loginTs === 'number' ? loginTs : undefined);

/** The valid sessions of a user, newest first. */
export async function listSessions(deps: FindDeps, userId: string): Promise<UserSession[]> {
  const [records, rows] = [await listOfUser(deps, userId, 'Session'), await sessionsOfUser(deps.db.read, userId)];
  const known = new Map(rows.map((row) => [row.id, row]));
  return records.map(({ payload, createdAt }) => {
    const id = payload.uid === undefined ? '' : hashOf('uid', payload.uid);
    const row = known.get(id);
    return {
      id,
      uid: payload.uid,
      amr: Array.isArray(payload.amr) ? payload.amr.filter((one) => typeof one === 'string') : [],
      clientIds: Object.keys((payload.authorizations ?? {}) as object),
      signedInAt: row?.signed_in_at ?? signedInAt(payload) ?? createdAt,
      origin: row && { userAgent: row.user_agent, address: row.address, lastUsedAt: row.last_used_at },
    };
  });
}
