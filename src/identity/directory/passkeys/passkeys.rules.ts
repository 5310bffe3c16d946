// Passkeys of a person: added, used, renamed, removed.
import { seconds } from '../../../platform/clock.ts';
import { isUniqueViolation } from '../../../platform/database/index.ts';
import { newId } from '../../../platform/ids.ts';
import type { Gate } from '../../../platform/limits/index.ts';
import type { Actor, Change } from '../../ground/audit/index.ts';
import type { PasskeyRow, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Notify } from '../../ground/notifications/index.ts';
import { bit, type Deps } from '../../ground/resource/index.ts';
import type { LoginAttempt } from '../logins/index.ts';
import {
  creationOptions,
  credentialIdOf,
  type NewPasskey,
  requestOptions,
  unknownPasskey,
  verifyAssertion,
  verifyCreation,
} from './ceremonies.ts';
import {
  findByCredentialId,
  hasPasskey,
  insertPasskey,
  listPasskeys,
  lockPasskey,
  recordUse,
  removePasskey,
  renamePasskey,
} from './passkeys.store.ts';
import type { RelyingParty } from './relying-party.ts';

const MAX_PASSKEYS = 20;
const MAX_NAME = 64;

export type PasskeyDeps = Pick<Deps, 'db' | 'clock' | 'change' | 'log'> & {
  readonly notify: Notify;
  readonly gate: Gate;
  /** Undefined where browsers offer no passkeys. */
  relyingParty(): RelyingParty | undefined;
  /** Called in the transaction of the change. */
  onAdded(change: Change, passkey: PasskeyRow): Promise<void>;
  /** `kept`: the session in which its owner removes it. */
  onRemoved(change: Change, passkey: PasskeyRow, kept: KeptSession | undefined): Promise<void>;
  /** Whether the account can be entered without a passkey. */
  hasOtherWay(tx: Tx, userId: string): Promise<boolean>;
  /** Whether this person must use one. */
  isRequired(person: { readonly id: string }, tx: Tx): Promise<boolean>;
  /** Fails if the person takes their last second factor, and must have one. */
  keepingSecond<T>(actor: Actor, tx: Tx, userId: string, remove: () => Promise<T>): Promise<T>;
};

/** A session of a browser: its two ids. */
export interface KeptSession {
  readonly jti: string;
  readonly uid: string;
}

/** What a use of a passkey proved. */
export interface PasskeyUse {
  readonly userId: string;
  readonly passkeyId: string;
  /** The authenticator checked a PIN or a finger: the passkey counts as both factors. */
  readonly isUserVerified: boolean;
  readonly isSynced: boolean;
}

/** What a passkey is asked to sign. */
export interface PasskeyQuestion {
  /** The first is for new questions; answers may still come to the others. */
  readonly challenges: readonly string[];
  /** Only passkeys of this user. */
  readonly userId?: string | undefined;
  readonly mustVerify: boolean;
}

const nameOf = (text: string): string => text.trim().slice(0, MAX_NAME) || 'Passkey';

export function createPasskeys({
  db,
  clock,
  change,
  log,
  notify,
  gate,
  relyingParty,
  hasOtherWay,
  isRequired,
  keepingSecond,
  onAdded,
  onRemoved,
}: PasskeyDeps) {
  const unknown = unknownPasskey();
  const party = (): RelyingParty => relyingParty() ?? fail('passkey.refused', { why: 'passkeys need a host name and https' });

  const rowOf = (userId: string, made: NewPasskey, name: string): PasskeyRow => ({
    id: newId(),
    user_id: userId,
    credential_id: made.credentialId,
    public_key: made.publicKey,
    counter: made.counter,
    transports: JSON.stringify(made.transports),
    synced: bit(made.isSynced),
    name: nameOf(name),
    created_at: seconds(clock),
    last_used_at: null,
    removed_at: null,
  });

  async function store(actor: Actor, row: PasskeyRow): Promise<void> {
    try {
      await change(actor, async (transaction) => {
        const { tx, audit } = transaction;
        if ((await listPasskeys(tx, row.user_id)).length >= MAX_PASSKEYS) fail('passkey.too_many', { most: MAX_PASSKEYS });
        await insertPasskey(tx, row);
        audit('passkey.added', { kind: 'user', id: row.user_id }, { passkey_id: row.id, name: row.name });
        await notify(transaction, 'passkey.added', row.user_id);
        await onAdded(transaction, row);
      });
    } catch (error) {
      if (isUniqueViolation(error)) fail('passkey.known');
      throw error;
    }
  }

  /** False when the counter did not go up: somebody has a copy of the passkey. */
  const recordOrReport = (row: PasskeyRow, counter: number, actor: Actor): Promise<boolean> =>
    change(actor, async (transaction) => {
      const isNewer = await recordUse(transaction.tx, row.id, counter, seconds(clock));
      const event = isNewer ? 'passkey.used' : 'passkey.cloned';
      transaction.audit(event, { kind: 'user', id: row.user_id }, { passkey_id: row.id, name: row.name });
      if (!isNewer) await notify(transaction, event, row.user_id);
      return isNewer;
    });

  return {
    list: (userId: string): Promise<PasskeyRow[]> => listPasskeys(db.read, userId),

    creationOptions: async (
      user: { readonly id: string; readonly name: string; readonly displayName: string },
      challenge: string,
    ): Promise<object> => creationOptions(party(), user, { challenge, passkeys: await listPasskeys(db.read, user.id) }),

    async add(
      actor: Actor,
      userId: string,
      answer: { challenges: readonly string[]; text: string; name: string },
    ): Promise<PasskeyRow> {
      const made = await verifyCreation(party(), answer.challenges, answer.text);
      if ('reason' in made) return fail('passkey.refused', { why: 'the browser’s answer does not fit' }, { reason: made.reason });
      const row = rowOf(userId, made, answer.name);
      await store(actor, row);
      return row;
    },

    requestOptions: async ({ challenges, userId, mustVerify }: PasskeyQuestion): Promise<object> => {
      const passkeys = userId === undefined ? [] : await listPasskeys(db.read, userId);
      return requestOptions(party(), { challenge: challenges[0]!, passkeys, mustVerify });
    },

    /** Whose passkey an answer names. Nothing is proved by that. */
    async ownerOf(text: string): Promise<string | undefined> {
      const id = credentialIdOf(text);
      return id === undefined ? undefined : (await findByCredentialId(db.read, id))?.user_id;
    },

    /** Undefined when it proves nothing; the reason is in the log only. */
    async verify(text: string, question: PasskeyQuestion, attempt: LoginAttempt): Promise<PasskeyUse | undefined> {
      const { userId, challenges, mustVerify } = question;
      const { requestId, subject } = attempt;
      const id = credentialIdOf(text);
      const found = id === undefined ? undefined : await findByCredentialId(db.read, id);
      const row = userId === undefined || found?.user_id === userId ? found : undefined;
      if (subject && row) subject.userId = row.user_id;
      // By the passkey that is named, known or not: otherwise the limits would tell which ones are.
      const owners = id === undefined ? [undefined] : [`passkey ${id}`, undefined];
      const countWrong = (): void => {
        for (const owner of owners) gate.wrongSecret(attempt, owner);
      };
      for (const owner of owners) gate.checkSecret(attempt, owner);
      const assertion = await verifyAssertion(party(), row ?? unknown, { challenges, text, mustVerify });
      if (!row || 'reason' in assertion) {
        countWrong();
        const reason = !row ? 'unknown passkey' : 'reason' in assertion ? assertion.reason : '';
        log.info({ request_id: requestId, reason }, 'passkey refused');
        return undefined;
      }
      if (!(await recordOrReport(row, assertion.counter, { requestId, userId: row.user_id }))) {
        countWrong();
        return undefined;
      }
      return {
        userId: row.user_id,
        passkeyId: row.id,
        isUserVerified: assertion.isUserVerified,
        isSynced: row.synced === 1,
      };
    },

    /**
     * Whether the user has it. A sign-in with it may have waited for minutes to be picked up. It is read in a transaction to wait for a removal that
     * is being made.
     */
    isThere: (userId: string, id: string): Promise<boolean> => db.write((tx) => lockPasskey(db, tx, userId, id)),

    rename: (actor: Actor, userId: string, id: string, name: string): Promise<void> =>
      change(actor, async ({ tx, audit }) => {
        if (!(await renamePasskey(tx, userId, id, nameOf(name)))) fail('passkey.not_found', { id });
        audit('passkey.renamed', { kind: 'user', id: userId }, { passkey_id: id, name: nameOf(name) });
      }),

    /**
     * Nobody removes their own last way in, nor the last passkey that they must have: their password would then be enough to add another. An
     * administrator may, of somebody else: they can also set a password, and the person adds a new one.
     */
    remove: (actor: Actor, userId: string, id: string, kept?: KeptSession): Promise<void> =>
      change(actor, async (transaction) => {
        const { tx, audit } = transaction;
        const removed = (await listPasskeys(tx, userId)).find((one) => one.id === id);
        const remove = () => removePasskey(tx, userId, id, seconds(clock));
        if (!removed || !(await keepingSecond(actor, tx, userId, remove))) return fail('passkey.not_found', { id });
        if (actor.userId === userId && !(await hasPasskey(tx, userId))) {
          if (await isRequired({ id: userId }, tx)) fail('passkey.required');
          if (!(await hasOtherWay(tx, userId))) fail('passkey.last_way_in');
        }
        audit('passkey.removed', { kind: 'user', id: userId }, { passkey_id: id });
        await notify(transaction, 'passkey.removed', userId);
        await onRemoved(transaction, removed, kept);
      }),
  };
}

export type Passkeys = ReturnType<typeof createPasskeys>;
