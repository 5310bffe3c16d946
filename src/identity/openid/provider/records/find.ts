// Finding records: those that stand, and what one request learns by it.
import { type Clock, seconds } from '../../../../platform/clock.ts';
import type { Seal } from '../../../../platform/seal/index.ts';
import type { Database } from '../../../database.ts';
import type { Findings } from './findings.ts';
import { hashOf, openRecord, type Payload, userOf } from './record.ts';
import { type FoundRecord, findRecord, recordsOfUser } from './records.store.ts';

export interface FindDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly findings: Findings;
}

/** A record that stands, and the state of its user at that moment. */
export interface Found {
  readonly payload: Payload;
  readonly generation: number | undefined;
}

export interface Kept {
  readonly id: string;
  readonly payload: Payload;
  readonly createdAt: number;
}

/** These end with the grant they were given by. */
const GIVEN = ['AccessToken', 'RefreshToken', 'AuthorizationCode', 'DeviceCode'];

/**
 * Neither over, nor of a state of its user that is past, nor without the grant it was given by. What a version kept that did not know
 * of states is of an unknown one: nobody can tell what changed since, and it is as good as gone.
 */
const stands = (
  clock: Clock,
  { expires_at: end, generation, user_generation: now, model, grant_id: grantId, grant }: FoundRecord,
): boolean =>
  (end === null || end > seconds(clock)) && generation === now && (grantId === null || grant !== null || !GIVEN.includes(model));

function foundOf({ clock, seal, findings }: FindDeps, row: FoundRecord | undefined): Found | undefined {
  if (!row || !stands(clock, row)) return undefined;
  const { user_id: userId, user_generation: generation } = row;
  const payload = openRecord(seal, row);
  // A sign-in that an older version parked is nobody's by its row, and is not ended with what ends theirs.
  if ((userOf(payload) ?? null) !== userId) return undefined;
  findings.noteRecord(row.id);
  if (userId !== null && generation !== null) findings.bind(userId, generation);
  return { payload, generation: generation ?? undefined };
}

/** With the state of its user at that moment. */
export const look = async (deps: FindDeps, model: string, id: string): Promise<Found | undefined> =>
  foundOf(deps, await findRecord(deps.db.read, 'id', hashOf(model, id)));

export const findByUid = async (deps: FindDeps, uid: string): Promise<Payload | undefined> =>
  foundOf(deps, await findRecord(deps.db.read, 'uid', hashOf('uid', uid)))?.payload;

export const findByUserCode = async (deps: FindDeps, code: string): Promise<Payload | undefined> =>
  foundOf(deps, await findRecord(deps.db.read, 'user_code', hashOf('code', code)))?.payload;

export async function keptOfUser({ db, clock, seal }: FindDeps, userId: string, model: string): Promise<Kept[]> {
  const rows = await recordsOfUser(db.read, userId, model);
  return rows
    .filter((row) => stands(clock, row))
    .map((row) => ({ id: row.id, payload: openRecord(seal, row), createdAt: row.created_at }));
}
