// Who carries keys elsewhere hears what becomes of them, within the change that does it. Keys know nobody who listens.
import type { KeyRow, Reader, WalletChange } from '../database.ts';

type ChangedKey = Pick<KeyRow, 'id' | 'owner'>;

export interface KeyListener {
  /** Another key takes over what this one was for. */
  onReplaced(transaction: WalletChange, key: ChangedKey, successor: Pick<KeyRow, 'id' | 'algorithm'>): Promise<void>;
  /** The key is over. Tells which DIDs were published anew without it. */
  onRevoked(transaction: WalletChange, key: ChangedKey): Promise<string[]>;
  /** The key is about to end with none to follow it. Whoever cannot do without refuses. */
  beforeRevocation(reader: Reader, key: ChangedKey): Promise<void>;
}
