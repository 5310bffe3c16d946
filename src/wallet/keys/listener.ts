// Who carries keys elsewhere hears what becomes of them, within the change that does it. Keys know nobody who listens.
import type { Change, KeyRow, Reader } from '../database.ts';

type Named = Pick<KeyRow, 'id' | 'owner'>;

export interface KeyListener {
  /** Another key takes over what this one was for. */
  onSucceeded(transaction: Change, key: Named, successor: Pick<KeyRow, 'id' | 'algorithm'>): Promise<void>;
  /** The key is over. Tells which DIDs were published anew without it. */
  onEnded(transaction: Change, key: Named): Promise<string[]>;
  /** The key is about to end with none to follow it. Whoever cannot do without refuses. */
  onAbandoning(reader: Reader, key: Named): Promise<void>;
}
