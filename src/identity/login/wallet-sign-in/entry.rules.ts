// A person enters by what their wallet showed. The answer is used up, and the state of the credential read, in one transaction: a
// credential that is revoked before lets nobody in, and no answer lets anybody in twice.
import { type Clock, seconds } from '../../../platform/clock.ts';
import type { Database, Tx } from '../../ground/database/index.ts';
import { isSame } from './answers.rules.ts';
import {
  ANSWER,
  countAttempt,
  type OwnCredential,
  type PresentedCredential,
  type ProviderCredential,
  REQUEST,
  type StateOf,
  type StoredAnswer,
  type WalletRecords,
} from './data.ts';
import type { ProviderCredentials } from './provider-credentials.ts';

export interface WalletEntryDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly records: WalletRecords;
  readonly stateOf: StateOf;
  readonly providerCredentials: Pick<ProviderCredentials, 'isStillGood'>;
}

/** What the browser has: the secret that it was sent back with, or the code that the person typed. */
export interface WalletProof {
  readonly requestId: string;
  readonly proof: string;
}

export type EntryRefusal = 'wrong' | 'revoked';

/** What somebody entered by. Until their session has begun it can be revoked, and then nobody is let in by it. */
export type EnteredBy = Pick<OwnCredential, 'list' | 'index' | 'keyThumbprint'>;

export function createWalletEntry({ db, clock, records, stateOf, providerCredentials }: WalletEntryDeps) {
  /** Nothing is used up by a wrong proof, but there are only a few. */
  async function findPresented({ requestId, proof }: WalletProof): Promise<PresentedCredential | undefined> {
    if (!(await countAttempt(records, `enter ${requestId}`))) {
      await Promise.all([records.destroy(ANSWER, requestId), records.destroy(REQUEST, requestId)]);
      return undefined;
    }
    const answer = (await records.find(ANSWER, requestId)) as StoredAnswer | undefined;
    return answer && isSame(answer.proof, proof) ? answer.shown : undefined;
  }

  /** Whose it is. A signature of ours alone lets nobody in: it was issued to this very key. */
  async function ownerOf(tx: Tx, { list, index, keyThumbprint }: EnteredBy) {
    const found = await stateOf(tx, list, index);
    if (found?.keyThumbprint !== keyThumbprint) return undefined;
    return { userId: found.userId, isGood: found.state === 'valid' && found.expiresAt > seconds(clock) };
  }

  return {
    /** Whether another proof may be tried. */
    async isOpen(requestId: string): Promise<boolean> {
      const [request, answer] = [await records.find(REQUEST, requestId), await records.find(ANSWER, requestId)];
      return request !== undefined && answer?.consumed === undefined;
    },

    /** Whether the answer is a credential of another issuer. */
    isOfProvider: async (requestId: string): Promise<boolean> =>
      ((await records.find(ANSWER, requestId)) as StoredAnswer | undefined)?.shown.kind === 'provider',

    /** What a credential of another issuer says. The account is found by federation, which reads the settings of the provider again. */
    async enterByProvider(proof: WalletProof): Promise<ProviderCredential | EntryRefusal> {
      const shown = await findPresented(proof);
      if (shown?.kind !== 'provider') return 'wrong';
      if (!(await db.write((tx) => records.consumeIn(tx, ANSWER, proof.requestId)))) return 'wrong';
      return (await providerCredentials.isStillGood(shown.state)) ? shown : 'revoked';
    },

    /** The user whose credential was shown. `onSubject`: the user is known, also when they may not enter. */
    async enter(
      proof: WalletProof,
      onSubject: (userId: string) => void,
    ): Promise<{ userId: string; credential: EnteredBy } | EntryRefusal> {
      const shown = await findPresented(proof);
      if (shown?.kind !== 'own') return 'wrong';
      return db.write(async (tx) => {
        if (!(await records.consumeIn(tx, ANSWER, proof.requestId))) return 'wrong';
        const { list, index, keyThumbprint } = shown;
        const credential = { list, index, keyThumbprint };
        const owner = await ownerOf(tx, credential);
        if (!owner || (shown.userId !== undefined && owner.userId !== shown.userId)) return 'wrong';
        onSubject(owner.userId);
        return owner.isGood ? { userId: owner.userId, credential } : 'revoked';
      });
    },

    /**
     * Whether the user could still enter by it. Their sign-in may have waited for minutes: for a second step, or to be picked up. It is read in a
     * transaction to wait for a revocation that is being made.
     */
    isStillGood: (userId: string, credential: EnteredBy): Promise<boolean> =>
      db.write(async (tx) => {
        const owner = await ownerOf(tx, credential);
        return owner?.userId === userId && owner.isGood;
      }),
  };
}

export type WalletEntry = ReturnType<typeof createWalletEntry>;
