// Nonces for key proofs (OID4VCI, 7). Asking for one stores nothing: a nonce is its own end, sealed. Only used ones are stored, until they
// have ended, so that each is good once.
import { randomBytes } from 'node:crypto';
import { type Clock, seconds } from '../../platform/clock.ts';
import type { Seal } from '../../platform/seal/index.ts';
import type { Change } from '../audit/index.ts';
import type { Records } from '../openid/index.ts';

const NONCE_SECONDS = 300;
const MAX_LENGTH = 300;
const CONTEXT = 'credential nonce';
const USED_MODEL = 'UsedCredentialNonce';

export function createNonces({ seal, clock, records }: { seal: Seal; clock: Clock; records: Pick<Records, 'addOnce'> }) {
  /** When it ends. Undefined if it is not ours. */
  function endOf(nonce: string): number | undefined {
    if (nonce.length > MAX_LENGTH) return undefined;
    try {
      return Number(seal.open(nonce, CONTEXT).toString().split(' ', 1)[0]);
    } catch {
      return undefined;
    }
  }

  return {
    make: (): string =>
      seal.seal(Buffer.from(`${seconds(clock) + NONCE_SECONDS} ${randomBytes(16).toString('base64url')}`), CONTEXT),
    isGood(nonce: string): boolean {
      const end = endOf(nonce);
      return end !== undefined && end > seconds(clock);
    },
    /** False when it was used before. */
    use: (transaction: Change, nonce: string): Promise<boolean> =>
      records.addOnce(transaction, { model: USED_MODEL, id: nonce, payload: {}, lifetime: NONCE_SECONDS }),
  };
}

export type Nonces = ReturnType<typeof createNonces>;
