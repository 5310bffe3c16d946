// Lets modules that use keys react to key changes, within the same change. This module does not depend on them.
import type { KeyRow, Reader, WalletChange } from '../ground/database.ts';

type ChangedKey = Pick<KeyRow, 'id' | 'owner'>;

export interface KeyListener {
  /** A successor replaces this key. */
  onReplaced(transaction: WalletChange, key: ChangedKey, successor: Pick<KeyRow, 'id' | 'algorithm'>): Promise<void>;
  /** The key is revoked. Returns the DIDs that were republished without it. */
  onRevoked(transaction: WalletChange, key: ChangedKey): Promise<string[]>;
  /** The key is about to be revoked without a successor. Throws to refuse. */
  beforeRevocation(reader: Reader, key: ChangedKey): Promise<void>;
}
