/** There is nothing to change any more, and so no event: the transaction is rolled back. */
class NothingToDo extends Error {}

export function nothingToDo(): never {
  throw new NothingToDo();
}

/** Undefined if there was nothing to do. */
export async function unlessNothing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof NothingToDo) return undefined;
    throw error;
  }
}
