// Writes entries in chunks. One that cannot be written does not keep the others out.
import { isUnavailable, isUniqueViolation, isUnwritable } from '../../../platform/database/index.ts';

/** Rows in one transaction, so that other writers do not wait long. */
export const AT_ONCE = 100;

/** Tries again when another process inserted the same rows at the same time. */
async function onceMore(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    await write();
  }
}

/** Together, or else one by one: `onFailure` gets those that cannot be written. */
export async function writeOrSkip<T>(
  items: readonly T[],
  write: (items: readonly T[]) => Promise<void>,
  onFailure: (item: T, error: Error) => void,
): Promise<void> {
  try {
    if (items.length > 0) await onceMore(() => write(items));
  } catch (error) {
    if (isUnavailable(error) || isUnwritable(error)) throw error;
    if (items.length > 1) for (const item of items) await writeOrSkip([item], write, onFailure);
    else onFailure(items[0]!, error as Error);
  }
}
