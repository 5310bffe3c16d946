// Receipts: proof that some methods of a login succeeded while others are missing (Openstack-Auth-Receipt). Encrypted like tokens,
// short-lived, and usable only to complete that login.

import type { Clock } from '../../../platform/clock.ts';
import { type AuthMethod, METHODS } from '../../access/context/index.ts';
import { openBytes, sealBytes, tokenKeyId } from './token-format.ts';
import type { TokenKeys } from './token-keys.ts';

const LIFE_MS = 300_000;

export interface Receipt {
  readonly userId: string;
  readonly methods: readonly AuthMethod[];
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The generation of the user when it was issued. A changed password makes the receipt invalid. */
  readonly generation: number;
}

export interface Receipts {
  issue(userId: string, methods: readonly AuthMethod[], generation: number): { text: string; receipt: Receipt };
  /** Undefined when it is not one of our receipts, or has expired. */
  open(text: string): Promise<Receipt | undefined>;
}

export function createReceipts({ keys, clock }: { keys: TokenKeys; clock: Clock }): Receipts {
  return {
    issue(userId, methods, generation) {
      const now = clock.now();
      const receipt = { userId, methods, issuedAt: now, expiresAt: now + LIFE_MS, generation };
      return { text: sealBytes(Buffer.from(JSON.stringify(receipt)), keys.current(), 'receipt'), receipt };
    },
    async open(text) {
      const keyId = tokenKeyId(text);
      if (keyId === undefined) return undefined;
      if (!keys.find(keyId)) await keys.reloadIfDue();
      const key = keys.find(keyId);
      const plain = key && openBytes(text, key, 'receipt');
      if (!plain) return undefined;
      const receipt = JSON.parse(plain.toString()) as Receipt;
      const isKnown = receipt.methods.every((method) => METHODS.includes(method));
      const now = clock.now();
      // Issued before the clock was set back: it would be valid for as long as the clock was wrong.
      const isAhead = receipt.issuedAt > now + LIFE_MS;
      return isKnown && !isAhead && receipt.expiresAt > now ? receipt : undefined;
    },
  };
}
