// Finds valid records, and tracks them in the state of the request.
import { type Clock, seconds } from '../../../platform/clock.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import type { Database, Reader } from '../../ground/database/index.ts';
import { hashOf } from '../../ground/resource/index.ts';
import { type LifetimeDeps, lifetimesIn } from './lifetimes.ts';
import { openRecord, type RecordPayload, userOf } from './record.ts';
import {
  findRecord,
  findRecordWithGrant,
  isOver,
  type RecordWithGrant,
  type RecordWithOwners,
  recordsOfUser,
} from './records.store.ts';
import type { Together } from './together.ts';

export interface FindDeps extends LifetimeDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly together: Pick<Together, 'findWithGrant'>;
}

/** A valid record, and the generation of its user at that time. */
export interface ValidRecord {
  /** Its hash. */
  readonly id: string;
  readonly payload: RecordPayload;
  readonly generation: number | undefined;
}

export interface StoredRecord {
  readonly id: string;
  readonly payload: RecordPayload;
  readonly createdAt: number;
}

/** Models that end with their grant. */
const ENDS_WITH_GRANT = [
  'AccessToken',
  'ApiToken',
  'RefreshToken',
  'AuthorizationCode',
  'DeviceCode',
  'BackchannelAuthenticationRequest',
];

/**
 * Valid: not expired, of the current generation of its user, and its grant exists. Records of old versions without a generation are
 * invalid, because it is unknown what changed since.
 */
function isValid(clock: Clock, row: RecordWithOwners): boolean {
  const { generation, user_generation: now, model, grant_id: grantId, grant } = row;
  const hasGrant = grantId === null || grant !== null || !ENDS_WITH_GRANT.includes(model);
  return !isOver(row, seconds(clock)) && generation === now && hasGrant;
}

/** Its domain may let refresh tokens end earlier than when this one was made. */
const isTooOld = (deps: FindDeps, row: RecordWithOwners): boolean =>
  row.model === 'RefreshToken' && row.created_at + lifetimesIn(deps, row).refreshTokenSeconds <= seconds(deps.clock);

function validRecordOf(deps: FindDeps, row: RecordWithOwners | undefined): ValidRecord | undefined {
  const { clock, seal, requestState } = deps;
  if (!row || !isValid(clock, row) || isTooOld(deps, row)) return undefined;
  const { user_id: userId, user_generation: generation } = row;
  const payload = openRecord(seal, row);
  // Older versions stored a completed sign-in without its user. It would survive the end of the user's sessions, so it is ignored.
  if ((userOf(payload) ?? null) !== userId) return undefined;
  requestState.addRecord(row.id);
  if (userId !== null && generation !== null) requestState.bind(userId, generation);
  if (userId !== null) requestState.noteLifetimes(userId, lifetimesIn(deps, row));
  return { id: row.id, payload, generation: generation ?? undefined };
}

/** In a transaction. */
export const findValidIn = async (deps: FindDeps, tx: Reader, model: string, id: string): Promise<ValidRecord | undefined> =>
  validRecordOf(deps, await findRecord(tx, 'id', hashOf(model, id)));

/** With the generation of its user at that time. */
export async function findValid(deps: FindDeps, model: string, id: string): Promise<ValidRecord | undefined> {
  const hash = hashOf(model, id);
  if (BEFORE_GRANT.includes(model)) return validRecordOf(deps, await findWithGrantKept(deps, hash));
  const kept = model === 'Grant' ? deps.requestState.takeGrant(hash) : undefined;
  return validRecordOf(deps, kept ?? (await findRecord(deps.db.read, 'id', hash)));
}

/** In a transaction, by its hash. */
export const findValidByHashIn = async (deps: FindDeps, tx: Reader, hash: string): Promise<ValidRecord | undefined> =>
  validRecordOf(deps, await findRecord(tx, 'id', hash));

/** A token with its grant, both valid. */
export async function findTokenWithGrant(
  deps: FindDeps,
  model: string,
  id: string,
): Promise<{ readonly token: ValidRecord; readonly grant: RecordPayload } | undefined> {
  const row = await findRecordWithGrant(deps.db.read, hashOf(model, id));
  const token = validRecordOf(deps, row);
  const grantRow = token && grantOf(row!);
  const grant = grantRow && validRecordOf(deps, grantRow);
  return grant && { token, grant: grant.payload };
}

/** Undefined if there is none. */
function grantOf(row: RecordWithGrant): RecordWithOwners | undefined {
  if (row.grant === null || row.grant_payload === null) return undefined;
  return {
    ...row,
    id: row.grant,
    model: row.grant_model!,
    payload: row.grant_payload,
    user_id: row.grant_user_id,
    generation: row.grant_generation,
    // Of the same user: it is compared with the one that the payload names.
    user_generation: row.grant_user_id === row.user_id ? row.user_generation : null,
    created_at: row.grant_created_at!,
    expires_at: row.grant_expires_at,
    grant_id: null,
    consumed_at: null,
    uid: null,
    user_code: null,
  };
}

/** Whoever finds one of these asks for its grant next: both are read together, as they are at one moment. */
const BEFORE_GRANT = ['AuthorizationCode', 'RefreshToken'];

async function findWithGrantKept(deps: FindDeps, hash: string): Promise<RecordWithOwners | undefined> {
  const row = await deps.together.findWithGrant(hash);
  const grant = row && grantOf(row);
  if (grant) deps.requestState.keepGrant(grant);
  return row;
}

/** By its hash, as another record names it. */
export const findValidByHash = async (deps: FindDeps, hash: string): Promise<ValidRecord | undefined> =>
  validRecordOf(deps, await findRecord(deps.db.read, 'id', hash));

export const findByUid = async (deps: FindDeps, uid: string): Promise<RecordPayload | undefined> =>
  validRecordOf(deps, await findRecord(deps.db.read, 'uid', hashOf('uid', uid)))?.payload;

export const findByUserCode = async (deps: FindDeps, code: string): Promise<RecordPayload | undefined> =>
  validRecordOf(deps, await findRecord(deps.db.read, 'user_code', hashOf('code', code)))?.payload;

export const listOfUser = (deps: FindDeps, userId: string, model: string): Promise<StoredRecord[]> =>
  listOfUserIn(deps, deps.db.read, userId, model);

export async function listOfUserIn(
  { clock, seal }: FindDeps,
  db: Reader,
  userId: string,
  model: string,
): Promise<StoredRecord[]> {
  const rows = await recordsOfUser(db, userId, model);
  return rows
    .filter((row) => isValid(clock, row))
    .map((row) => ({ id: row.id, payload: openRecord(seal, row), createdAt: row.created_at }));
}
