// Records of the OpenID provider: found by hash, sealed at rest, linked to their user and consumer.
import { type Clock, seconds } from '../../../platform/clock.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Database, Tx } from '../../ground/database/index.ts';
import { hashOf, hashOfSession } from '../../ground/resource/index.ts';
import { addApproved, type NewApproval } from './approvals.ts';
import {
  type EndDeps,
  endConsents,
  endEverything,
  endSession,
  endSessions,
  endSessionsBy,
  endSessionsByHash,
  endWallet,
  signOut,
} from './end.ts';
import {
  findByUid,
  findByUserCode,
  findTokenWithGrant,
  findValid,
  findValidByHash,
  findValidByHashIn,
  findValidIn,
  listOfUser,
  listOfUserIn,
} from './find.ts';
import { issueTokens, type TokensToIssue } from './issue.ts';
import { type LifetimeDeps, lifetimesOf, readLifetimes } from './lifetimes.ts';
import { isCached, type RecordPayload, tagOfGrant, tagOfRecord } from './record.ts';
import {
  consumeRecord,
  deleteEndedRecords,
  deleteRecord,
  deleteRecordOf,
  deleteRecordsAhead,
  deleteRecordsOfGrant,
  findRecord,
  sessionHashes,
} from './records.store.ts';
import { createRequestState } from './request-state.ts';
import { addRecord, addRecordOnce, reviseRecord, saveRecord } from './save.ts';
import type { RecordToSave, SaveDeps } from './save-deps.ts';
import { sessionTokenId } from './session-tokens.ts';
import { deleteUnusedSessions } from './sessions.store.ts';
import { listSessions } from './sessions.ts';
import { createTogether, type Together } from './together.ts';

const SWEPT_AT_ONCE = 1000;
const BATCHES = 100;
/** A session that was saved just now may have no record yet. */
const UNUSED_SECONDS = 3600;

interface ConsumeDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly together: Together;
}

/** False when another request consumed it first. */
function consume(deps: ConsumeDeps, model: string, id: string): Promise<boolean> {
  const { db, clock, together } = deps;
  if (!isCached(model)) return together.consume(hashOf(model, id));
  return db.write((tx, invalidate) => {
    invalidate(tagOfRecord(model, id));
    return consumeRecord(tx, hashOf(model, id), seconds(clock));
  });
}

/** False when it was gone already. */
const destroy = (db: Database, model: string, id: string): Promise<boolean> =>
  db.write(async (tx, invalidate) => {
    const row = await findRecord(tx, 'id', hashOf(model, id));
    const isRemoved = await deleteRecord(tx, hashOf(model, id));
    invalidate(tagOfRecord(model, id));
    // The tokens of a session end with it.
    if (row?.uid) invalidate(`openid_session:${row.uid}`);
    return isRemoved;
  });

async function revokeGrant(db: Database, grantId: string): Promise<void> {
  await db.write(async (tx, invalidate) => {
    await deleteRecordsOfGrant(tx, hashOf('Grant', grantId));
    invalidate(tagOfGrant(grantId));
  });
}

/** In small batches, to keep transactions short. */
async function inBatches(db: Database, clock: Clock, remove: typeof deleteEndedRecords): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < BATCHES; batch++) {
    const count = await db.write((tx) => remove(tx, seconds(clock), SWEPT_AT_ONCE));
    total += count;
    if (count < SWEPT_AT_ONCE) break;
  }
  return total;
}

async function sweep(db: Database, clock: Clock): Promise<number> {
  const total = await inBatches(db, clock, deleteEndedRecords);
  return total + (await db.write((tx) => deleteUnusedSessions(tx, seconds(clock) - UNUSED_SECONDS, SWEPT_AT_ONCE)));
}

type RecordsDeps = EndDeps &
  Partial<Pick<SaveDeps, 'isWallet'>> &
  Pick<LifetimeDeps, 'domainSettings'> & { readonly db: Database };

export function createRecords(options: RecordsDeps) {
  const requestState = createRequestState();
  const { isWallet = () => false } = options;
  const deps = { ...options, isWallet, requestState, together: createTogether(options.db, options.clock) };
  const { db, clock } = deps;

  return {
    /** `once`: only if it does not exist. False when it exists: only one of several concurrent callers succeeds. */
    save: (model: string, id: string, payload: RecordPayload, lifetime: number | undefined, once = false): Promise<boolean> =>
      saveRecord(deps, { model, id, payload, lifetime, once }),

    /** For what the request has found, in the state in which it was found. */
    issue: (tokens: TokensToIssue) => issueTokens(deps, tokens),

    /** What a grant says, stored under another name: not if the grant has ended. */
    saveCopyOfGrant: (grantId: string, copy: Omit<RecordToSave, 'once' | 'copyOf'>): Promise<boolean> =>
      saveRecord(deps, { ...copy, once: false, copyOf: hashOf('Grant', grantId) }),

    /** A grant that a person gives in this session, elsewhere than in a sign-in to the application. False when the session has ended. */
    addApproved: (transaction: Change, userId: string, approved: NewApproval): Promise<boolean> =>
      addApproved(deps, transaction, userId, approved),
    add: (transaction: Change, record: Omit<RecordToSave, 'once'>): Promise<void> => addRecord(deps, transaction, record),
    /** In the transaction that acts on it: false when it exists. */
    addOnce: (transaction: Change, record: Omit<RecordToSave, 'once'>): Promise<boolean> =>
      addRecordOnce(deps, transaction, record),

    /** Of a record by its hash: in the transaction that acts on it. */
    revise: (transaction: Change, hash: string, revised: (before: RecordPayload) => RecordPayload): Promise<void> =>
      reviseRecord(deps, transaction, hash, revised),

    /** In the transaction that acts on it. */
    findByHashIn: ({ tx }: Change, hash: string) => findValidByHashIn(deps, tx, hash),
    /** In the transaction that acts on it. */
    findIn: ({ tx }: Change, model: string, id: string) => findValidIn(deps, tx, model, id),
    /** With the generation of its user at that time. */
    findValid: (model: string, id: string) => findValid(deps, model, id),
    findTokenWithGrant: (model: string, id: string) => findTokenWithGrant(deps, model, id),
    findValidByHash: (hash: string) => findValidByHash(deps, hash),
    find: async (model: string, id: string) => (await findValid(deps, model, id))?.payload,
    findByUid: (uid: string) => findByUid(deps, uid),
    findByUserCode: (code: string) => findByUserCode(deps, code),
    listOfUser: (userId: string, model: string) => listOfUser(deps, userId, model),
    /** In the transaction that acts on it. */
    listOfUserIn: ({ tx }: Change, userId: string, model: string) => listOfUserIn(deps, tx, userId, model),

    /** Runs one request: what it stores is bound to what it has read. */
    duringRequest: requestState.duringRequest,
    /** Binds records stored later in the request to this generation of the user. */
    bind: requestState.bind,
    rebind: requestState.rebind,
    bindConsumer: requestState.bindConsumer,
    /** As this request has read it. */
    consumerOf: requestState.consumerOf,
    lifetimesOf: (userId: string | undefined) => lifetimesOf(deps, userId),
    readLifetimes: (userId: string) => readLifetimes(deps, userId),
    /** Where the request comes from. */
    origin: requestState.origin,
    setBrowserSecret: requestState.setBrowserSecret,
    browserSecretOf: requestState.browserSecretOf,
    /** Whether this request has read the record: saving it is an update. */
    wasFound: (model: string, id: string): boolean => requestState.hasRecord(hashOf(model, id)),
    /** The generation of the user in this request. */
    generationOf: requestState.generationOf,

    consume: (model: string, id: string) => consume(deps, model, id),
    /** In a transaction that also checks what the record stands for. */
    consumeIn: (tx: Tx, model: string, id: string): Promise<boolean> => consumeRecord(tx, hashOf(model, id), seconds(clock)),
    destroy: (model: string, id: string) => destroy(db, model, id),
    /** By its listed id, which is not secret. False when the user has no such record. */
    destroyOfUser: ({ tx }: Change, userId: string, model: string, hash: string): Promise<boolean> =>
      deleteRecordOf(tx, userId, model, hash),
    revokeGrant: (grantId: string) => revokeGrant(db, grantId),

    endEverything: (transaction: Change, userId: string) => endEverything(deps, transaction, userId),
    endSessions: (transaction: Change, userId: string, keep?: string) => endSessions(deps, transaction, userId, keep),
    /** By its listed id. False when the user has no such session. */
    endSession: (transaction: Change, userId: string, id: string) => endSession(deps, transaction, userId, id),
    listSessions: (userId: string) => listSessions(deps, userId),
    hashOfSession,
    /** Whether a token names one of the person's sessions as what it was made from. */
    isOfSession: async ({ tx }: Change, userId: string, auditId: string): Promise<boolean> =>
      (await sessionHashes(tx, userId)).some((hash) => sessionTokenId(hash) === auditId),
    endSessionsByHash: (transaction: Change, userId: string, hashes: readonly string[]) =>
      endSessionsByHash(deps, transaction, userId, hashes),
    /** By the hash of the session, also when the library has ended it. Applications that may go on without the person do. */
    signOut: (transaction: Change, userId: string, hash: string) => signOut(deps, transaction, userId, hash),
    endPasskeySessions: (transaction: Change, userId: string, kept?: { readonly jti: string; readonly uid: string }) =>
      endSessionsBy('pop', deps, transaction, userId, kept),
    endWalletSessions: (transaction: Change, userId: string, kept?: { readonly jti: string; readonly uid: string }) =>
      endSessionsBy('wallet', deps, transaction, userId, kept),
    endConsents: (transaction: Change, userId: string, consumerId: string) => endConsents(deps, transaction, userId, consumerId),
    /** By its client id, as `endConsents` for consumers. */
    endWallet: (transaction: Change, userId: string, clientId: string) => endWallet(deps, transaction, userId, clientId),

    sweep: () => sweep(db, clock),
    /** What was made before the clock was set back. Reads all records, so not with every sweep. */
    sweepAhead: () => inBatches(db, clock, deleteRecordsAhead),
  };
}

export type Records = ReturnType<typeof createRecords>;
