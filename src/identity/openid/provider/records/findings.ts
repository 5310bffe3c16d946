// What one request found in the records, so that what it keeps later is bound to that: time passes between the two, and a password
// may change, or a session end, meanwhile.
import { AsyncLocalStorage } from 'node:async_hooks';

class Found {
  /** By user, as of the first look: everything later in the request follows from it. */
  readonly generations = new Map<string, number>();
  readonly records = new Set<string>();
}

export function createFindings() {
  const current = new AsyncLocalStorage<Found>();

  return {
    /** Whatever `work` looks at and keeps is one request. */
    during: <T>(work: () => Promise<T>): Promise<T> => current.run(new Found(), work),

    /** The user was checked in this state; a later look does not move it. */
    bind(userId: string, generation: number): void {
      const generations = current.getStore()?.generations;
      if (generations && !generations.has(userId)) generations.set(userId, generation);
    },
    generationOf: (userId: string): number | undefined => current.getStore()?.generations.get(userId),

    noteRecord: (id: string): void => void current.getStore()?.records.add(id),
    hasRecord: (id: string): boolean => current.getStore()?.records.has(id) ?? false,
  };
}

export type Findings = ReturnType<typeof createFindings>;
