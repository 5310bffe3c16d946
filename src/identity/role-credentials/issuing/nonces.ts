// Nonces for key proofs (OID4VCI, 7). Asking for one stores nothing: a nonce is its own end, sealed. Only used ones are stored, until they
// have ended, so that each is good once.
import { randomBytes } from 'node:crypto';
import { type Clock, seconds } from '../../../platform/clock.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Records } from '../../openid/records/index.ts';

const NONCE_SECONDS = 300;
/** Twice as long as it is good: a replica whose clock is ahead of the others deletes what has expired by its own. */
const USED_SECONDS = 2 * NONCE_SECONDS;
const MAX_LENGTH = 300;
const CONTEXT = 'credential nonce';
const USED_MODEL = 'UsedCredentialNonce';

export function createNonces({ seal, clock, records }: { seal: Seal; clock: Clock; records: Pick<Records, 'addOnce'> }) {
  /** Its end, and what makes it unique. Undefined if it is not ours. */
  function contentOf(nonce: string): string | undefined {
    if (nonce.length > MAX_LENGTH) return undefined;
    try {
      return seal.open(nonce, CONTEXT).toString();
    } catch {
      return undefined;
    }
  }

  return {
    make: (): string =>
      seal.seal(Buffer.from(`${seconds(clock) + NONCE_SECONDS} ${randomBytes(16).toString('base64url')}`), CONTEXT),
    isGood(nonce: string): boolean {
      return Number.parseInt(contentOf(nonce) ?? '', 10) > seconds(clock);
    },
    /** False when it was used before. By its content: the same bytes can be spelled in several ways. */
    async use(transaction: Change, nonce: string): Promise<boolean> {
      const id = contentOf(nonce);
      return id !== undefined && records.addOnce(transaction, { model: USED_MODEL, id, payload: {}, lifetime: USED_SECONDS });
    },
  };
}

export type Nonces = ReturnType<typeof createNonces>;
