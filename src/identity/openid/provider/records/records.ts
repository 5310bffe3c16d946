// Records of the OpenID provider: found by hash, sealed at rest, kept with the user and the consumer they belong to.
import { createHash } from 'node:crypto';
import type { Clock } from '../../../../platform/clock.ts';
import { seconds } from '../../../../platform/clock.ts';
import { isForeignKeyViolation } from '../../../../platform/database/index.ts';
import type { Seal } from '../../../../platform/seal/index.ts';
import type { Change } from '../../../audit/index.ts';
import type { Database, OpenidRecordRow } from '../../../database.ts';
import { OWN_CLIENT } from '../own-client.ts';
import { createFindings } from './findings.ts';
import {
  allRecords,
  consumeRecord,
  consumersOfUser,
  deleteConsents,
  deleteEndedRecords,
  deleteRecord,
  deleteRecordOf,
  deleteRecordsOfGrant,
  deleteRecordsOfUser,
  type FoundRecord,
  findRecord,
  generationOf,
  insertNewRecord,
  insertRecord,
  recordsOfUser,
  replacePayload,
  replaceRecord,
  usableRecords,
  type Which,
} from './records.store.ts';

/** What the provider hands us; we look at the few fields that tie it to something. */
export interface Payload {
  readonly [name: string]: unknown;
  readonly accountId?: string;
  readonly clientId?: string;
  readonly grantId?: string;
  readonly uid?: string;
  readonly userCode?: string;
  readonly exp?: number;
  /** Of an interaction. */
  readonly prompt?: { readonly name?: string };
  readonly session?: { readonly accountId?: string };
  readonly result?: Submission;
  readonly lastSubmission?: Submission;
}

/** What a person left with an interaction. */
interface Submission {
  readonly login?: { readonly accountId?: string };
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
 * Whose it is. An interaction is someone's once they signed in, or when they are asked what they allow: a sign-in that is done and
 * waits to be collected ends with whatever ends their sessions.
 */
function userOf({ accountId, result, lastSubmission, prompt, session }: Payload): string | undefined {
  return (
    accountId ??
    result?.login?.accountId ??
    lastSubmission?.login?.accountId ??
    (prompt?.name === 'consent' ? session?.accountId : undefined)
  );
}

const SWEPT_AT_ONCE = 1000;
const BATCHES = 100;

const hashOf = (model: string, id: string): string => createHash('sha256').update(`${model}\0${id}`).digest('base64url');
const placeOf = (id: string): string => `openid_records/${id}`;

export const tagOfGrant = (grantId: string): string => `openid_grant:${hashOf('Grant', grantId)}`;
export const tagOfSession = (uid: string): string => `openid_session:${hashOf('uid', uid)}`;
export const tagOfRecord = (model: string, id: string): string => `openid_record:${hashOf(model, id)}`;

/** Records that name a session an application knows. Access tokens do, too, but there may be any number, and they are over soon. */
const SESSION = ['Session'];
const GIVEN_FOR_LONGER = ['RefreshToken'];
/** Within a change nobody waits for more than this to be opened: the newest tell of the sessions that still matter. */
const OPENED_AT_MOST = 500;

/** What of a user ends. */
export interface Ended {
  /** Applications that had anything of theirs. */
  readonly clientIds: readonly string[];
  readonly sessions: readonly Payload[];
  /** What these applications got and may still use. Costly: only for those that want to know. */
  given(clientIds: readonly string[]): Promise<Payload[]>;
}

export function createRecords(deps: {
  db: Database;
  clock: Clock;
  seal: Seal;
  /** Within the change: what these records of a user stood for ends for applications, too. */
  ended(change: Change, userId: string, ended: Ended): Promise<void>;
}) {
  const { db, clock, seal } = deps;
  const findings = createFindings();

  function open(row: OpenidRecordRow): Payload {
    const payload = JSON.parse(seal.open(row.payload, placeOf(row.id)).toString()) as Payload;
    return row.consumed_at === null ? payload : { ...payload, consumed: row.consumed_at };
  }

  /**
   * Neither over, nor of a state of its user that is past, nor without the grant it was given by. What a version kept that did not know
   * of states is of an unknown one: nobody can tell what changed since, and it is as good as gone.
   */
  const stands = ({ expires_at: end, generation, user_generation: now, model, grant_id: grantId, grant }: FoundRecord): boolean =>
    (end === null || end > seconds(clock)) &&
    generation === now &&
    (grantId === null || grant !== null || !GIVEN.includes(model));

  function live(row: FoundRecord | undefined): Found | undefined {
    if (!row || !stands(row)) return undefined;
    const { user_id: userId, user_generation: generation } = row;
    const payload = open(row);
    // A sign-in that an older version parked is nobody's by its row, and is not ended with what ends theirs.
    if ((userOf(payload) ?? null) !== userId) return undefined;
    findings.noteRecord(row.id);
    if (userId !== null && generation !== null) findings.bind(userId, generation);
    return { payload, generation: generation ?? undefined };
  }

  const look = async (model: string, id: string): Promise<Found | undefined> =>
    live(await findRecord(db.read, 'id', hashOf(model, id)));

  /** Those that can be opened: one that cannot is worth nothing to anybody, and keeps no account open. */
  const openable = (rows: readonly OpenidRecordRow[]): Payload[] =>
    rows.flatMap((row) => {
      try {
        return [open(row)];
      } catch {
        return [];
      }
    });

  const newest = async ({ tx }: Change, userId: string, models: readonly string[], which: Which = {}): Promise<Payload[]> =>
    openable(await usableRecords(tx, userId, models, { ...which, now: seconds(clock), limit: OPENED_AT_MOST }));

  const tell = (inside: Change, userId: string, clientIds: readonly string[], sessions: readonly Payload[]): Promise<void> =>
    deps.ended(inside, userId, {
      clientIds,
      sessions,
      given: (consumerIds) => newest(inside, userId, GIVEN_FOR_LONGER, { consumerIds }),
    });

  return {
    /** `once`: only if there is none yet; of several who try at once, one succeeds. False: there was one. */
    async save(model: string, id: string, payload: Payload, lifetime: number | undefined, once = false): Promise<boolean> {
      const hash = hashOf(model, id);
      const now = seconds(clock);
      const userId = userOf(payload);
      const row: Omit<OpenidRecordRow, 'generation'> = {
        id: hash,
        model,
        payload: seal.seal(Buffer.from(JSON.stringify(payload)), placeOf(hash)),
        user_id: userId ?? null,
        consumer_id: payload.clientId === OWN_CLIENT ? null : (payload.clientId ?? null),
        grant_id: payload.grantId === undefined ? null : hashOf('Grant', payload.grantId),
        uid: payload.uid === undefined ? null : hashOf('uid', payload.uid),
        user_code: payload.userCode === undefined ? null : hashOf('code', payload.userCode),
        consumed_at: null,
        created_at: now,
        expires_at: lifetime === undefined ? null : now + lifetime,
      };
      try {
        return await db.write(async (tx, touch) => {
          touch(tagOfRecord(model, id));
          const known = userId === undefined ? null : findings.generationOf(userId);
          const bound = { ...row, generation: known === undefined ? await generationOf(tx, userId!) : known };
          // What this request found and somebody else ended since does not come back.
          if (once) return insertNewRecord(tx, bound);
          await (findings.hasRecord(hash) ? replaceRecord(tx, bound) : insertRecord(tx, bound));
          return true;
        });
      } catch (error) {
        // The user or the application was deleted meanwhile: there is nobody to keep it for.
        if (!isForeignKeyViolation(error)) throw error;
        return true;
      }
    },

    /** With the state of its user at that moment. */
    look,
    find: async (model: string, id: string) => (await look(model, id))?.payload,
    findByUid: async (uid: string) => live(await findRecord(db.read, 'uid', hashOf('uid', uid)))?.payload,
    findByUserCode: async (code: string) => live(await findRecord(db.read, 'user_code', hashOf('code', code)))?.payload,

    /** One request: what it keeps is bound to what it found. */
    during: findings.during,
    /** What is kept for this user from now on in the request follows from a check of this state. */
    bind: findings.bind,
    /** Whether this request found it: what it saves is not new. */
    wasFound: (model: string, id: string): boolean => findings.hasRecord(hashOf(model, id)),
    /** The state of the user that this request goes by. */
    generationOf: findings.generationOf,

    /** False when somebody else was first. */
    consume: (model: string, id: string): Promise<boolean> =>
      db.write((tx, touch) => {
        touch(tagOfRecord(model, id));
        return consumeRecord(tx, hashOf(model, id), seconds(clock));
      }),

    async destroy(model: string, id: string): Promise<void> {
      await db.write(async (tx, touch) => {
        const row = await findRecord(tx, 'id', hashOf(model, id));
        await deleteRecord(tx, hashOf(model, id));
        touch(tagOfRecord(model, id));
        // Tokens of a session end with it.
        if (row?.uid) touch(`openid_session:${row.uid}`);
      });
    },

    /** By the name it is listed under, which is no secret. True when it was the user's. */
    destroyOf: ({ tx }: Change, userId: string, model: string, hash: string): Promise<boolean> =>
      deleteRecordOf(tx, userId, model, hash),

    async revokeGrant(grantId: string): Promise<void> {
      await db.write(async (tx, touch) => {
        await deleteRecordsOfGrant(tx, hashOf('Grant', grantId));
        touch(tagOfGrant(grantId));
      });
    },

    /** Everything a user has here ends with the change; what is cached of a user is dropped by whoever changes the user. */
    async endWithin(inside: Change, userId: string): Promise<void> {
      await tell(inside, userId, await consumersOfUser(inside.tx, userId), await newest(inside, userId, SESSION));
      await deleteRecordsOfUser(inside.tx, userId);
    },

    async ofUser(userId: string, model: string): Promise<Kept[]> {
      const rows = await recordsOfUser(db.read, userId, model);
      return rows.flatMap((row) => {
        return stands(row) ? [{ id: row.id, payload: open(row), createdAt: row.created_at }] : [];
      });
    },

    /** Ends the sessions of a user but one. */
    async endSessions(inside: Change, userId: string, keep?: string): Promise<void> {
      const kept = keep === undefined ? undefined : hashOf('Session', keep);
      const sessions = await newest(inside, userId, SESSION, { exceptId: kept });
      // Tokens stay, and those of the session that is kept name it.
      await deps.ended(inside, userId, { clientIds: [], sessions, given: async () => [] });
      await deleteRecordsOfUser(inside.tx, userId, 'Session', kept);
    },

    /** What a user let an application do, and every token that came of it. */
    async endConsents(inside: Change, userId: string, consumerId: string): Promise<void> {
      const known = await consumersOfUser(inside.tx, userId, consumerId);
      await tell(inside, userId, known, []);
      await deleteConsents(inside.tx, userId, consumerId);
    },

    /** In small batches, so that nobody waits. */
    async sweep(): Promise<number> {
      let total = 0;
      for (let batch = 0; batch < BATCHES; batch++) {
        const count = await db.write((tx) => deleteEndedRecords(tx, seconds(clock), SWEPT_AT_ONCE));
        total += count;
        if (count < SWEPT_AT_ONCE) break;
      }
      return total;
    },

    async reseal({ tx }: Change): Promise<number> {
      const rows = await allRecords(tx);
      for (const { id, payload } of rows) await replacePayload(tx, id, seal.seal(seal.open(payload, placeOf(id)), placeOf(id)));
      return rows.length;
    },
  };
}

export type Records = ReturnType<typeof createRecords>;
