// A person enters by what their wallet showed. The answer is used up, and the state of the credential read, in one transaction: a
// credential that is revoked before lets nobody in, and no answer lets anybody in twice.
import { type Clock, seconds } from '../../platform/clock.ts';
import type { Database } from '../database.ts';
import { isSame } from './answers.rules.ts';
import {
  ANSWER,
  countTry,
  type ProviderCredential,
  REQUEST,
  type ShownCredential,
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

export function createWalletEntry({ db, clock, records, stateOf, providerCredentials }: WalletEntryDeps) {
  /** Nothing is used up by a wrong proof, but there are only a few. */
  async function proved({ requestId, proof }: WalletProof): Promise<ShownCredential | undefined> {
    if (!(await countTry(records, `enter ${requestId}`))) {
      await Promise.all([records.destroy(ANSWER, requestId), records.destroy(REQUEST, requestId)]);
      return undefined;
    }
    const answer = (await records.find(ANSWER, requestId)) as StoredAnswer | undefined;
    return answer && isSame(answer.proof, proof) ? answer.shown : undefined;
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
      const shown = await proved(proof);
      if (shown?.kind !== 'provider') return 'wrong';
      if (!(await db.write((tx) => records.consumeIn(tx, ANSWER, proof.requestId)))) return 'wrong';
      return (await providerCredentials.isStillGood(shown.state)) ? shown : 'revoked';
    },

    /** The user whose credential was shown. `onSubject`: the user is known, also when they may not enter. */
    async enter(proof: WalletProof, onSubject: (userId: string) => void): Promise<{ userId: string } | EntryRefusal> {
      const shown = await proved(proof);
      if (shown?.kind !== 'own') return 'wrong';
      return db.write(async (tx) => {
        if (!(await records.consumeIn(tx, ANSWER, proof.requestId))) return 'wrong';
        const found = await stateOf(tx, shown.list, shown.index);
        if (!found || (shown.userId !== undefined && found.userId !== shown.userId)) return 'wrong';
        // It was issued to this very key: a signature of ours alone lets nobody in.
        if (found.keyThumbprint !== shown.keyThumbprint) return 'wrong';
        onSubject(found.userId);
        return found.state === 'valid' && found.expiresAt > seconds(clock) ? { userId: found.userId } : 'revoked';
      });
    },
  };
}

export type WalletEntry = ReturnType<typeof createWalletEntry>;
