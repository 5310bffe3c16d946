// Saves a record: sealed, linked to its user and consumer, and bound to the generation the request has read.
import { seconds } from '../../../platform/clock.ts';
import { isForeignKeyViolation, lockRow } from '../../../platform/database/index.ts';
import { hasLostSince, provesItselfByKey } from '../../applications/consumers/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { ConsumerRow, OpenidRecordRow, Tx } from '../../ground/database/index.ts';
import { hashOf } from '../../ground/resource/index.ts';
import { testPoint } from '../../ground/test-points.ts';
import { isUnregistered } from '../first-party-clients/index.ts';
import { consentIdOf, isCached, openRecord, type RecordPayload, sealPayload, tagOfHash, tagOfRecord, userOf } from './record.ts';
import { findRecord, generationOf, hasRecord, insertNewRecord, insertRecord, replaceRecord } from './records.store.ts';
import type { RecordToSave, SaveDeps } from './save-deps.ts';
import { touchSession } from './sessions.store.ts';
import { noteSessionUse } from './sessions.ts';

/** Null for wallets, for our own pages, and for an application whose client id is a document until somebody has allowed it something. */
function consumerIdOf({ requestState, isWallet }: SaveDeps, { clientId }: RecordPayload): string | null {
  if (clientId === undefined || requestState.consumerOf(clientId) !== undefined) return clientId ?? null;
  return isUnregistered(clientId) || isWallet(clientId) ? null : clientId;
}

function rowOf(deps: SaveDeps, { model, id, payload, lifetime }: RecordToSave): Omit<OpenidRecordRow, 'generation'> {
  const { clock, seal } = deps;
  const hash = hashOf(model, id);
  const now = seconds(clock);
  return {
    id: hash,
    model,
    payload: sealPayload(seal, hash, payload),
    user_id: userOf(payload) ?? null,
    consumer_id: consumerIdOf(deps, payload),
    grant_id: payload.grantId === undefined ? null : hashOf('Grant', payload.grantId),
    uid: payload.uid === undefined ? null : hashOf('uid', payload.uid),
    user_code: payload.userCode === undefined ? null : hashOf('code', payload.userCode),
    consumed_at: null,
    created_at: now,
    expires_at: lifetime === undefined ? null : now + lifetime,
  };
}

/** A record that belongs to somebody whom the request has read, in that state. */
export function boundRowOf(deps: SaveDeps, saved: RecordToSave): OpenidRecordRow {
  const row = rowOf(deps, saved);
  const generation = row.user_id === null ? null : deps.requestState.generationOf(row.user_id);
  if (generation === undefined) throw new Error('tokens are issued for somebody whom the request has not read');
  return { ...row, generation };
}

/** A new record, in a transaction that also does other things. `generation`: that of what it depends on, if it is not the current one. */
export async function addRecord(
  deps: SaveDeps,
  { tx, invalidate }: Change,
  saved: Omit<RecordToSave, 'once'>,
  generation?: number | null,
): Promise<void> {
  const row = rowOf(deps, { ...saved, once: true });
  invalidate(tagOfRecord(saved.model, saved.id));
  const current = async () => (row.user_id === null ? null : generationOf(tx, row.user_id));
  await insertRecord(tx, { ...row, generation: generation === undefined ? await current() : generation });
}

/** Another payload of a record that is there, by its hash, in a transaction that also does other things. */
export async function reviseRecord(
  { seal }: Pick<SaveDeps, 'seal'>,
  { tx, invalidate }: Change,
  hash: string,
  revised: (before: RecordPayload) => RecordPayload,
): Promise<void> {
  const found = await findRecord(tx, 'id', hash);
  if (!found) return;
  const { user_generation: _, domain_id: __, domain_name: ___, grant: ____, ...row } = found;
  const { consumed: _____, ...payload } = revised(openRecord(seal, row));
  const userId = userOf(payload) ?? null;
  invalidate(tagOfHash(hash));
  await replaceRecord(tx, {
    ...row,
    payload: sealPayload(seal, hash, payload),
    user_id: userId,
    grant_id: payload.grantId === undefined ? null : hashOf('Grant', payload.grantId),
    generation: userId === null ? null : await generationOf(tx, userId),
  });
}

/** A new record, in a transaction that also does other things. False when it exists. */
export async function addRecordOnce(
  deps: SaveDeps,
  { tx, invalidate }: Change,
  saved: Omit<RecordToSave, 'once'>,
): Promise<boolean> {
  const row = rowOf(deps, { ...saved, once: true });
  invalidate(tagOfRecord(saved.model, saved.id));
  return insertNewRecord(tx, { ...row, generation: row.user_id === null ? null : await generationOf(tx, row.user_id) });
}

/** What an application may do for a person. Without it, its codes and tokens are worth nothing. */
const OF_APPLICATION: readonly string[] = ['Grant', 'Consent'];
/** What an application gets that has proved itself by a key: not if the key was taken away in the meantime, because it was stolen. */
const BY_KEY: readonly string[] = ['AccessToken', 'ApiToken', 'ClientCredentials', 'DeviceCode', 'RefreshToken'];

/** The grant of a session is copied from the consent of the person, if the request has read that. */
function sourceOf({ requestState }: SaveDeps, { model, payload, copyOf }: RecordToSave): string | undefined {
  if (model !== 'Grant' || payload.accountId === undefined || payload.clientId === undefined) return copyOf;
  const consent = hashOf('Consent', consentIdOf(payload.accountId, payload.clientId));
  return requestState.hasRecord(consent) ? consent : undefined;
}

/** What a person allowed ends with their row locked, so it stays as it is until the transaction ends. */
async function isStillAllowed({ db }: SaveDeps, tx: Tx, userId: string, source: string): Promise<boolean> {
  await lockRow(db, tx, 'users', userId, 'share');
  return hasRecord(tx, source);
}

/** The application that is looked at again before the record is saved, as the request has read it. */
function applicationChecked({ requestState }: SaveDeps, id: string | null, model: string): ConsumerRow | undefined {
  const consumer = id === null ? undefined : requestState.consumerOf(id);
  const isChecked = OF_APPLICATION.includes(model) || (BY_KEY.includes(model) && consumer && provesItselfByKey(consumer));
  return isChecked ? consumer : undefined;
}

/** Made under an id that nobody had before: no cache can know of them. */
const NEW_MODELS: readonly string[] = [
  'AccessToken',
  'ApiToken',
  'AuthorizationCode',
  'ClientCredentials',
  'PushedAuthorizationRequest',
  'RefreshToken',
];

/** Saves what needs no transaction, because nothing but its own row is read and written. Undefined if this is not such a record. */
async function saveAlone(
  deps: SaveDeps,
  saved: RecordToSave,
  row: Omit<OpenidRecordRow, 'generation'>,
): Promise<boolean | undefined> {
  const { db, clock, requestState, together } = deps;
  const { model, payload, once } = saved;
  const isUpdate = requestState.hasRecord(row.id);
  const generation = row.user_id === null ? null : requestState.generationOf(row.user_id);
  if (generation === undefined) return undefined;
  const bound = { ...row, generation };
  if (once || isUpdate || !NEW_MODELS.includes(model)) {
    if (isCached(model)) return undefined;
    if (once) return db.writeStatement((tx) => insertNewRecord(tx, bound));
    await db.writeStatement((tx) => (isUpdate ? replaceRecord(tx, bound) : insertRecord(tx, bound)));
    return true;
  }
  const used = model === 'RefreshToken' && typeof payload.sessionUid === 'string' ? payload.sessionUid : undefined;
  await Promise.all([
    together.insert(bound),
    used !== undefined && db.writeStatement((tx) => touchSession(tx, hashOf('uid', used), seconds(clock))),
  ]);
  return true;
}

/** False when `once` is set and the record exists. */
export async function saveRecord(deps: SaveDeps, saved: RecordToSave): Promise<boolean> {
  const { db, requestState } = deps;
  const row = rowOf(deps, saved);
  const userId = row.user_id;
  const source = sourceOf(deps, saved);
  const consumer = applicationChecked(deps, row.consumer_id, saved.model);
  if (consumer) await testPoint('application-grant.before-transaction');
  try {
    const alone = consumer || source !== undefined ? undefined : await saveAlone(deps, saved, row);
    if (alone !== undefined) return alone;
    return await db.write(async (tx, invalidate) => {
      // What the application had of people ended when it lost something, and this would stay.
      if (consumer && (await hasLostSince(db, tx, consumer))) return true;
      if (source !== undefined && !(await isStillAllowed(deps, tx, userId!, source))) return true;
      invalidate(tagOfRecord(saved.model, saved.id));
      const generation = userId === null ? null : requestState.generationOf(userId);
      const bound = { ...row, generation: generation === undefined ? await generationOf(tx, userId!) : generation };
      // A record that this request has read and another request has ended must not be restored.
      if (saved.once) return insertNewRecord(tx, bound);
      await noteSessionUse(deps, tx, saved, userId);
      await (requestState.hasRecord(row.id) ? replaceRecord(tx, bound) : insertRecord(tx, bound));
      return true;
    });
  } catch (error) {
    // The user or the application was deleted in the meantime: there is nothing to save.
    if (!isForeignKeyViolation(error)) throw error;
    return true;
  }
}
