// The second factor of a user: enabling, disabling, the security question, recovery codes, and the proof of a code.

import { createHash, randomBytes } from 'node:crypto';
import { seconds } from '../../platform/clock.ts';
import type { Gate } from '../../platform/limits/index.ts';
import type { Seal } from '../../platform/seal/index.ts';
import type { Actor, Change } from '../audit/index.ts';
import type { TwoFactorRow } from '../database.ts';
import { fail } from '../faults.ts';
import type { Notify } from '../notifications/index.ts';
import type { Guesser, Passwords } from '../passwords/index.ts';
import { type Deps, unlessMoved } from '../resource/index.ts';
import type { UserWithExpiry } from '../users/index.ts';
import { deleteDevices } from './devices.store.ts';
import { countGuess, guessedRight } from './guesses.ts';
import { matchingStep, newKey, otpauthUri, toBase32 } from './totp.ts';
import {
  acceptStep,
  countRecoveryCodes,
  deleteFactor,
  findFactor,
  putFactor,
  readFactorKeys,
  replaceRecoveryCodes,
  setFactorKey,
  spendRecoveryCode,
} from './two-factor.store.ts';

const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;

const placeOf = (userId: string): string => `two_factor/${userId}`;
/** People type answers as they come. */
const folded = (answer: string): string => answer.trim().normalize('NFKC').toLowerCase();
const unlessGone = <T>(userId: string, write: () => Promise<T>): Promise<T> =>
  unlessMoved(() => fail('user.not_found', { id: userId }), write);
/** 80 random bits need no slow hash. Grouping and case are for the eye. */
const recoveryHash = (code: string): string =>
  createHash('sha256').update(code.replace(/[\s-]/g, '').toUpperCase()).digest('base64url');

export interface Question {
  readonly question: string;
  readonly answer: string;
}

export interface Enabled {
  readonly key: string;
  readonly uri: string;
  readonly question: string;
  readonly answer: string | undefined;
}

export function createFactor(
  deps: Pick<Deps, 'db' | 'clock' | 'change'> & {
    readonly passwords: Passwords;
    readonly notify: Notify;
    seal: Seal;
    issuer: string;
    gate: Gate;
  },
) {
  const { db, clock, change, passwords, notify, seal, issuer, gate } = deps;

  async function factorOf(userId: string): Promise<TwoFactorRow> {
    return (await findFactor(db.read, userId)) ?? fail('two_factor.not_enabled', { id: userId });
  }

  /** First enabling needs a question; later the old one stays unless a new one is given. Question and devices outlive a new key. */
  async function enable(
    actor: Actor,
    user: UserWithExpiry,
    given: Question | undefined,
    { key, lastStep }: { key: Buffer; lastStep: number } = { key: newKey(), lastStep: 0 },
  ): Promise<Enabled> {
    const before = await findFactor(db.read, user.id);
    if (!given && !before)
      fail('request.invalid_field', { field: 'two_factor_auth.security_question', why: 'it is a required property' });
    const row: TwoFactorRow = {
      user_id: user.id,
      key: seal.seal(key, placeOf(user.id)),
      security_question: given?.question ?? before!.security_question,
      security_answer: given
        ? await passwords.hash(folded(given.answer), { key: `user ${actor.userId}` })
        : before!.security_answer,
      last_step: lastStep,
      created_at: before?.created_at ?? seconds(clock),
    };
    await change(actor, async (inside) => {
      await unlessGone(user.id, () => putFactor(inside.tx, row));
      await guessedRight(inside.tx, user.id);
      const event = before ? 'two_factor.key_replaced' : 'two_factor.enabled';
      inside.audit(event, { kind: 'user', id: user.id });
      await notify(inside, event, user.id);
    });
    return {
      key: toBase32(key),
      uri: otpauthUri(issuer, user.name, key),
      question: row.security_question,
      answer: given?.answer,
    };
  }

  function opened(user: UserWithExpiry, proposed: string): Buffer | undefined {
    try {
      return seal.open(proposed, `${placeOf(user.id)}/proposed`);
    } catch {
      return undefined;
    }
  }

  async function disable(actor: Actor, userId: string): Promise<void> {
    await change(actor, async (inside) => {
      if (!(await deleteFactor(inside.tx, userId))) fail('two_factor.not_enabled', { id: userId });
      await replaceRecoveryCodes(inside.tx, userId, []);
      const devices = await deleteDevices(inside.tx, userId);
      inside.audit('two_factor.disabled', { kind: 'user', id: userId }, { devices });
      await notify(inside, 'two_factor.disabled', userId);
    });
  }

  /** One change that ends in an outcome, not in a throw: a guess must be counted whatever becomes of it. */
  function guess(by: Guesser, userId: string, what: string, look: (change: Change) => Promise<boolean>): Promise<boolean> {
    return gate.guess(by, `second factor of ${userId}`, () => counted(by, userId, what, look));
  }

  function counted(by: Guesser, userId: string, what: string, look: (change: Change) => Promise<boolean>): Promise<boolean> {
    return change(by, async (inside) => {
      const { allowed, last } = await countGuess(inside.tx, userId, clock);
      const right = allowed && (await look(inside));
      if (right) await guessedRight(inside.tx, userId);
      const outcome = right ? 'accepted' : allowed ? 'refused' : 'locked_out';
      inside.audit(`two_factor.${what}_${outcome}`, { kind: 'user', id: userId });
      if (last && !right) await notify(inside, 'two_factor.locked_out', userId);
      return right;
    });
  }

  return {
    enable,
    disable,

    /** A key to try out before it counts: sealed for this user, it can be left with the browser meanwhile. */
    propose(user: UserWithExpiry): { proposed: string; key: string; uri: string } {
      const key = newKey();
      return {
        proposed: seal.seal(key, `${placeOf(user.id)}/proposed`),
        key: toBase32(key),
        uri: otpauthUri(issuer, user.name, key),
      };
    },

    /** The same key again, for a page that has to be shown once more; undefined when it is not one of ours. */
    proposalOf(user: UserWithExpiry, proposed: string): { proposed: string; key: string; uri: string } | undefined {
      const key = opened(user, proposed);
      return key && { proposed, key: toBase32(key), uri: otpauthUri(issuer, user.name, key) };
    },

    /** Turns it on once the app showed a code of the proposed key, so that nobody locks themselves out. False: the code is wrong. */
    async enableProposed(
      actor: Actor,
      user: UserWithExpiry,
      tried: { readonly proposed: string; readonly code: string },
      given: Question | undefined,
    ): Promise<boolean> {
      const key = opened(user, tried.proposed);
      const step = key && matchingStep(key, tried.code, clock.now(), 0);
      if (!key || step === undefined) return false;
      await enable(actor, user, given, { key, lastStep: step });
      return true;
    },

    isEnabled: async (userId: string): Promise<boolean> => (await findFactor(db.read, userId)) !== undefined,
    require: async (userId: string): Promise<void> => void (await factorOf(userId)),

    async data(userId: string): Promise<{ question: string; recoveryCodesLeft: number }> {
      const { security_question: question } = await factorOf(userId);
      return { question, recoveryCodesLeft: await countRecoveryCodes(db.read, userId) };
    },

    /** The guess is counted first: hashing takes long, and many could be under way at once. */
    async checkAnswer(by: Guesser, userId: string, answer: string): Promise<void> {
      const { security_answer: hash } = await factorOf(userId);
      let [allowed, last] = [false, false];
      const right = await passwords.matches(folded(answer), `security answer of ${userId}`, by, async () => {
        ({ allowed, last } = await change(by, async (inside) => {
          inside.audit('two_factor.answer_tried', { kind: 'user', id: userId });
          return countGuess(inside.tx, userId, clock);
        }));
        return allowed ? hash : undefined;
      });
      if (last && !right)
        await change(by, async (inside) => {
          inside.audit('two_factor.answer_refused', { kind: 'user', id: userId });
          await notify(inside, 'two_factor.locked_out', userId);
        });
      if (!right) fail('auth.required', undefined, { reason: allowed ? 'security answer wrong' : 'too many guesses' });
      await change(by, async (inside) => {
        await guessedRight(inside.tx, userId);
        inside.audit('two_factor.answer_accepted', { kind: 'user', id: userId });
      });
    },

    /** A set of ten, shown once; the former set is void. */
    async makeRecoveryCodes(actor: Actor, userId: string): Promise<string[]> {
      await factorOf(userId);
      const codes = Array.from({ length: RECOVERY_CODES }, () =>
        toBase32(randomBytes(RECOVERY_BYTES)).replace(/(.{4})(?=.)/g, '$1-'),
      );
      await change(actor, async (inside) => {
        await unlessGone(userId, () => replaceRecoveryCodes(inside.tx, userId, codes.map(recoveryHash)));
        inside.audit('two_factor.recovery_codes_made', { kind: 'user', id: userId });
        await notify(inside, 'two_factor.recovery_codes_made', userId);
      });
      return codes;
    },

    /** A code is accepted once, by whichever request moves the last step first. */
    async proveCode(by: Guesser, userId: string, code: string): Promise<boolean> {
      return guess(by, userId, 'code', async ({ tx }) => {
        const factor = await findFactor(tx, userId);
        if (!factor) return false;
        const step = matchingStep(seal.open(factor.key, placeOf(userId)), code, clock.now(), factor.last_step);
        return step !== undefined && acceptStep(tx, userId, step);
      });
    },

    async proveRecoveryCode(by: Guesser, userId: string, code: string): Promise<boolean> {
      return guess(by, userId, 'recovery_code', async (inside) => {
        const spent = await spendRecoveryCode(inside.tx, userId, recoveryHash(code));
        if (spent) await notify(inside, 'two_factor.recovery_code_used', userId);
        return spent;
      });
    },

    /** For other keys of the same kind (TOTP credentials): the same limit on guesses. */
    guess,

    async reseal({ tx }: Change): Promise<number> {
      const rows = await readFactorKeys(tx);
      for (const { user_id: id, key } of rows) await setFactorKey(tx, id, seal.seal(seal.open(key, placeOf(id)), placeOf(id)));
      return rows.length;
    },
  };
}

export type Factor = ReturnType<typeof createFactor>;
