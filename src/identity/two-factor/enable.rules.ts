// Turning the second factor of a user on, with a key that may be tried out first, and off.
import { seconds } from '../../platform/clock.ts';
import type { Actor } from '../audit/index.ts';
import type { TwoFactorRow } from '../database.ts';
import { fail } from '../faults.ts';
import type { UserWithExpiry } from '../users/index.ts';
import { deleteDevices } from './devices.store.ts';
import { type FactorDeps, placeOf, unlessGone } from './factor.ts';
import { guessedRight } from './guesses.ts';
import { hashAnswer, type Question } from './security-question.rules.ts';
import { matchingStep, newKey, otpauthUri, toBase32 } from './totp.ts';
import { deleteFactor, findFactor, putFactor, replaceRecoveryCodes } from './two-factor.store.ts';

export interface Enabled {
  readonly key: string;
  readonly uri: string;
  readonly question: string;
  readonly answer: string | undefined;
}

/** A key to try out before it counts. */
export interface Proposal {
  /** The key, sealed for this user: it can be left with the browser meanwhile. */
  readonly proposed: string;
  readonly key: string;
  readonly uri: string;
}

/** First enabling needs a question; later the old one stays unless a new one is given. Question and devices outlive a new key. */
export async function enableFactor(
  deps: FactorDeps,
  actor: Actor,
  user: UserWithExpiry,
  given: Question | undefined,
  { key, lastStep }: { key: Buffer; lastStep: number } = { key: newKey(), lastStep: 0 },
): Promise<Enabled> {
  const { db, clock, change, notify, seal, issuer } = deps;
  const before = await findFactor(db.read, user.id);
  if (!given && !before)
    fail('request.invalid_field', { field: 'two_factor_auth.security_question', why: 'it is a required property' });
  const row: TwoFactorRow = {
    user_id: user.id,
    key: seal.seal(key, placeOf(user.id)),
    security_question: given?.question ?? before!.security_question,
    security_answer: given ? await hashAnswer(deps, actor, given.answer) : before!.security_answer,
    last_step: lastStep,
    created_at: before?.created_at ?? seconds(clock),
  };
  await change(actor, async (transaction) => {
    await unlessGone(user.id, () => putFactor(transaction.tx, row));
    await guessedRight(transaction.tx, user.id);
    const event = before ? 'two_factor.key_replaced' : 'two_factor.enabled';
    transaction.audit(event, { kind: 'user', id: user.id });
    await notify(transaction, event, user.id);
  });
  return {
    key: toBase32(key),
    uri: otpauthUri(issuer, user.name, key),
    question: row.security_question,
    answer: given?.answer,
  };
}

export async function disableFactor({ change, notify }: FactorDeps, actor: Actor, userId: string): Promise<void> {
  await change(actor, async (transaction) => {
    if (!(await deleteFactor(transaction.tx, userId))) fail('two_factor.not_enabled', { id: userId });
    await replaceRecoveryCodes(transaction.tx, userId, []);
    const devices = await deleteDevices(transaction.tx, userId);
    transaction.audit('two_factor.disabled', { kind: 'user', id: userId }, { devices });
    await notify(transaction, 'two_factor.disabled', userId);
  });
}

const proposalPlaceOf = ({ id }: UserWithExpiry): string => `${placeOf(id)}/proposed`;

export function proposeKey({ seal, issuer }: FactorDeps, user: UserWithExpiry): Proposal {
  const key = newKey();
  return {
    proposed: seal.seal(key, proposalPlaceOf(user)),
    key: toBase32(key),
    uri: otpauthUri(issuer, user.name, key),
  };
}

function proposedKey({ seal }: FactorDeps, user: UserWithExpiry, proposed: string): Buffer | undefined {
  try {
    return seal.open(proposed, proposalPlaceOf(user));
  } catch {
    return undefined;
  }
}

/** The same key again, for a page that has to be shown once more; undefined when it is not one of ours. */
export function proposalOf(deps: FactorDeps, user: UserWithExpiry, proposed: string): Proposal | undefined {
  const key = proposedKey(deps, user, proposed);
  return key && { proposed, key: toBase32(key), uri: otpauthUri(deps.issuer, user.name, key) };
}

/** Turns it on once the app showed a code of the proposed key, so that nobody locks themselves out. False: the code is wrong. */
export async function enableProposed(
  deps: FactorDeps,
  actor: Actor,
  user: UserWithExpiry,
  tried: { readonly proposed: string; readonly code: string },
  given: Question | undefined,
): Promise<boolean> {
  const key = proposedKey(deps, user, tried.proposed);
  const step = key && matchingStep(key, tried.code, deps.clock.now(), 0);
  if (!key || step === undefined) return false;
  await enableFactor(deps, actor, user, given, { key, lastStep: step });
  return true;
}
