// How a person may be asked by applications to sign in: by all of them, by those who know a code of theirs, or by none.
import { timingSafeEqual } from 'node:crypto';
import type { Seal } from '../../../platform/seal/index.ts';
import type { Actor } from '../../ground/audit/index.ts';
import type { Reader } from '../../ground/database/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { findChoice, saveChoice } from './sign-in-requests.store.ts';

export type SignInRequestChoice = 'all' | 'code' | 'none';

/** It is guessed by applications that have registered, a few times in an hour. */
const CODE = /^[\p{L}\p{N}]{6,32}$/u;
export const isSignInCode = (text: string): boolean => CODE.test(text);

const placeOf = (userId: string): string => `sign_in_request_choices/${userId}`;

const isEqual = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};

export interface ChoiceDeps extends Pick<Deps, 'db' | 'change'> {
  readonly seal: Seal;
}

export const createChoices = ({ db, change, seal }: ChoiceDeps) => ({
  async of(userId: string): Promise<SignInRequestChoice> {
    const code = await findChoice(db.read, userId);
    return code === undefined ? 'all' : code === null ? 'none' : 'code';
  },

  /** Whether whoever asks this person needs a code of theirs. */
  asksForCode: async (reader: Reader, userId: string): Promise<boolean> => typeof (await findChoice(reader, userId)) === 'string',

  /** Whether this person may be asked by somebody who sends this code. */
  async allows(reader: Reader, userId: string, sent: string | undefined): Promise<'yes' | 'off' | 'wrong code'> {
    const code = await findChoice(reader, userId);
    if (code === undefined) return 'yes';
    if (code === null) return 'off';
    return isEqual(seal.open(code, placeOf(userId)).toString(), sent ?? '') ? 'yes' : 'wrong code';
  },

  /** With `code`: the new one. */
  async set(actor: Actor, userId: string, choice: SignInRequestChoice, code: string): Promise<void> {
    const stored = choice === 'all' ? undefined : choice === 'none' ? null : seal.seal(Buffer.from(code), placeOf(userId));
    await change(actor, async ({ tx, audit }) => {
      await saveChoice(tx, userId, stored);
      audit('sign_in_request.choice_made', { kind: 'user', id: userId }, { choice });
    });
  },
});

export type SignInRequestChoices = ReturnType<typeof createChoices>;
