// Records of the OpenID provider: found by hash, sealed at rest, kept with the user and the consumer they belong to.
import { type Clock, seconds } from '../../../../platform/clock.ts';
import type { Seal } from '../../../../platform/seal/index.ts';
import type { Change } from '../../../audit/index.ts';
import type { Database } from '../../../database.ts';
import { type EndDeps, endConsents, endEverything, endSessions } from './end.ts';
import { findByUid, findByUserCode, keptOfUser, look } from './find.ts';
import { createFindings } from './findings.ts';
import { hashOf, type Payload, resealPayload, tagOfGrant, tagOfRecord } from './record.ts';
import {
  allRecords,
  consumeRecord,
  deleteEndedRecords,
  deleteRecord,
  deleteRecordOf,
  deleteRecordsOfGrant,
  findRecord,
  replacePayload,
} from './records.store.ts';
import { saveRecord } from './save.ts';

const SWEPT_AT_ONCE = 1000;
const BATCHES = 100;

/** False when somebody else was first. */
const consume = (db: Database, clock: Clock, model: string, id: string): Promise<boolean> =>
  db.write((tx, invalidate) => {
    invalidate(tagOfRecord(model, id));
    return consumeRecord(tx, hashOf(model, id), seconds(clock));
  });

async function destroy(db: Database, model: string, id: string): Promise<void> {
  await db.write(async (tx, invalidate) => {
    const row = await findRecord(tx, 'id', hashOf(model, id));
    await deleteRecord(tx, hashOf(model, id));
    invalidate(tagOfRecord(model, id));
    // Tokens of a session end with it.
    if (row?.uid) invalidate(`openid_session:${row.uid}`);
  });
}

async function revokeGrant(db: Database, grantId: string): Promise<void> {
  await db.write(async (tx, invalidate) => {
    await deleteRecordsOfGrant(tx, hashOf('Grant', grantId));
    invalidate(tagOfGrant(grantId));
  });
}

/** In small batches, so that nobody waits. */
async function sweep(db: Database, clock: Clock): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < BATCHES; batch++) {
    const count = await db.write((tx) => deleteEndedRecords(tx, seconds(clock), SWEPT_AT_ONCE));
    total += count;
    if (count < SWEPT_AT_ONCE) break;
  }
  return total;
}

async function reseal(seal: Seal, { tx }: Change): Promise<number> {
  const rows = await allRecords(tx);
  for (const { id, payload } of rows) await replacePayload(tx, id, resealPayload(seal, id, payload));
  return rows.length;
}

export function createRecords(given: EndDeps & { readonly db: Database }) {
  const findings = createFindings();
  const deps = { ...given, findings };
  const { db, clock, seal } = deps;

  return {
    /** `once`: only if there is none yet; of several who try at once, one succeeds. False: there was one. */
    save: (model: string, id: string, payload: Payload, lifetime: number | undefined, once = false): Promise<boolean> =>
      saveRecord(deps, { model, id, payload, lifetime, once }),

    /** With the state of its user at that moment. */
    look: (model: string, id: string) => look(deps, model, id),
    find: async (model: string, id: string) => (await look(deps, model, id))?.payload,
    findByUid: (uid: string) => findByUid(deps, uid),
    findByUserCode: (code: string) => findByUserCode(deps, code),
    ofUser: (userId: string, model: string) => keptOfUser(deps, userId, model),

    /** One request: what it keeps is bound to what it found. */
    during: findings.during,
    /** What is kept for this user from now on in the request follows from a check of this state. */
    bind: findings.bind,
    /** Whether this request found it: what it saves is not new. */
    wasFound: (model: string, id: string): boolean => findings.hasRecord(hashOf(model, id)),
    /** The state of the user that this request goes by. */
    generationOf: findings.generationOf,

    consume: (model: string, id: string) => consume(db, clock, model, id),
    destroy: (model: string, id: string) => destroy(db, model, id),
    /** By the name it is listed under, which is no secret. True when it was the user's. */
    destroyOf: ({ tx }: Change, userId: string, model: string, hash: string): Promise<boolean> =>
      deleteRecordOf(tx, userId, model, hash),
    revokeGrant: (grantId: string) => revokeGrant(db, grantId),

    endWithin: (transaction: Change, userId: string) => endEverything(deps, transaction, userId),
    endSessions: (transaction: Change, userId: string, keep?: string) => endSessions(deps, transaction, userId, keep),
    endConsents: (transaction: Change, userId: string, consumerId: string) => endConsents(deps, transaction, userId, consumerId),

    sweep: () => sweep(db, clock),
    reseal: (transaction: Change) => reseal(seal, transaction),
  };
}

export type Records = ReturnType<typeof createRecords>;
