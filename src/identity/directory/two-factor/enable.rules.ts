// Turns the second factor of a user on, optionally after a key was tried out, and off.
import { seconds } from '../../../platform/clock.ts';
import type { Actor, Change } from '../../ground/audit/index.ts';
import type { TwoFactorRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { UserWithExpiry } from '../users/index.ts';
import { deleteDevices } from './devices.store.ts';
import { type FactorDeps, failIfUserMissing, sealContext } from './factor.ts';
import { clearGuesses } from './guesses.ts';
import { addRecoveryCodes } from './recovery-codes.rules.ts';
import { hashAnswer, NO_QUESTION, type SecurityQuestion } from './security-question.rules.ts';
import { matchingStep, newKey, otpauthUri, toBase32 } from './totp.ts';
import { deleteFactor, findFactor, isFactorOn, putFactor, replaceRecoveryCodes } from './two-factor.store.ts';

export interface EnabledFactor {
  readonly key: string;
  readonly uri: string;
  readonly question: string;
  readonly answer: string | undefined;
}

/** A key to try out before it is enabled. */
export interface Proposal {
  /** The key, encrypted for this user, so that the browser can keep it meanwhile. */
  readonly proposed: string;
  readonly key: string;
  readonly uri: string;
}

interface NewFactor {
  readonly question: SecurityQuestion | undefined;
  /** Tried out, if there is a last step. */
  readonly key: Buffer;
  readonly lastStep: number;
  /** Further work in the transaction. */
  then?(transaction: Change): Promise<void>;
}

/**
 * A security question is required the first time; later the old one stays unless a new one is given. Whoever was signed in by the password
 * alone, or by the former key, is not any more: sessions, tokens, devices and recovery codes end.
 */
async function putNewFactor(
  deps: FactorDeps,
  actor: Actor,
  user: UserWithExpiry,
  { question, key, lastStep, then }: NewFactor,
): Promise<string> {
  const { db, clock, change, notify, notices, seal } = deps;
  const needsQuestion = (): never =>
    fail('request.invalid_field', { field: 'two_factor_auth.security_question', why: 'it is a required property' });
  if (!question && !(await isFactorOn(db.read, user.id))) needsQuestion();
  const hashed = question && { question: question.question, answer: await hashAnswer(deps, actor, question.answer) };
  const sealed = seal.seal(key, sealContext(user.id));
  return change(actor, async (transaction) => {
    const { tx } = transaction;
    const before = await findFactor(tx, user.id);
    const asked = hashed ?? (before ? { question: before.security_question, answer: before.security_answer } : needsQuestion());
    const row: TwoFactorRow = {
      user_id: user.id,
      key: sealed,
      security_question: asked.question,
      security_answer: asked.answer,
      last_step: lastStep,
      created_at: before?.created_at ?? seconds(clock),
    };
    await failIfUserMissing(user.id, () => putFactor(tx, row));
    await clearGuesses(tx, user.id);
    await replaceRecoveryCodes(tx, user.id, []);
    await deps.endOthers(transaction, user.id, actor.keeps);
    const event = before ? 'two_factor.key_replaced' : 'two_factor.enabled';
    transaction.audit(event, { kind: 'user', id: user.id });
    await notify(transaction, event, user.id);
    await notices.twoFactor(transaction, before ? 'two-factor-replaced' : 'two-factor-on', user.id);
    await then?.(transaction);
    return asked.question;
  });
}

export async function enableFactor(
  deps: FactorDeps,
  actor: Actor,
  user: UserWithExpiry,
  question: SecurityQuestion | undefined,
): Promise<EnabledFactor> {
  const key = newKey();
  const stored = await putNewFactor(deps, actor, user, { question, key, lastStep: 0 });
  return { key: toBase32(key), uri: otpauthUri(deps.issuer(), user.name, key), question: stored, answer: question?.answer };
}

/** An administrator may turn off what somebody else must have: they turn on another one when they sign in. */
export async function disableFactor(
  { change, notify, notices, mustHave }: FactorDeps,
  actor: Actor,
  userId: string,
): Promise<void> {
  await change(actor, async (transaction) => {
    if (actor.userId === userId && (await mustHave(transaction.tx, userId))) fail('two_factor.required');
    if (!(await deleteFactor(transaction.tx, userId))) fail('two_factor.not_enabled', { id: userId });
    await replaceRecoveryCodes(transaction.tx, userId, []);
    const devices = await deleteDevices(transaction.tx, userId);
    transaction.audit('two_factor.disabled', { kind: 'user', id: userId }, { devices });
    await notify(transaction, 'two_factor.disabled', userId);
    await notices.twoFactor(transaction, 'two-factor-off', userId);
  });
}

const proposalSealContext = ({ id }: UserWithExpiry): string => `${sealContext(id)}/proposed`;

export function proposeKey({ seal, issuer }: FactorDeps, user: UserWithExpiry): Proposal {
  const key = newKey();
  return {
    proposed: seal.seal(key, proposalSealContext(user)),
    key: toBase32(key),
    uri: otpauthUri(issuer(), user.name, key),
  };
}

function proposedKey({ seal }: FactorDeps, user: UserWithExpiry, proposed: string): Buffer | undefined {
  try {
    return seal.open(proposed, proposalSealContext(user));
  } catch {
    return undefined;
  }
}

/** The proposal again, for a page that is shown once more; undefined when it is not valid for this user. */
export function proposalOf(deps: FactorDeps, user: UserWithExpiry, proposed: string): Proposal | undefined {
  const key = proposedKey(deps, user, proposed);
  return key && { proposed, key: toBase32(key), uri: otpauthUri(deps.issuer(), user.name, key) };
}

/**
 * Enables a proposed key after the user entered a code of it, so that nobody locks themselves out. Returns recovery codes; undefined when the
 * code is wrong. Without a security question there is none.
 */
export async function enableProposed(
  deps: FactorDeps,
  actor: Actor,
  user: UserWithExpiry,
  proposal: { readonly proposed: string; readonly code: string },
  question: SecurityQuestion = NO_QUESTION,
): Promise<readonly string[] | undefined> {
  const key = proposedKey(deps, user, proposal.proposed);
  const step = key && matchingStep(key, proposal.code, deps.clock.now(), 0);
  if (!key || step === undefined) return undefined;
  let codes: readonly string[] = [];
  const then = async (transaction: Change): Promise<void> => {
    codes = await addRecoveryCodes(deps, transaction, user.id);
  };
  await putNewFactor(deps, actor, user, { question, key, lastStep: step, then });
  return codes;
}
