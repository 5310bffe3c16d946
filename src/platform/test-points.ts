// Points in the code at which a test can act, as another request could: between a check and its repetition in a transaction. Otherwise nothing
// happens there. No setting reaches them, only a test in the same process; `npm run check` refuses any other use.

export interface TestPoints<Name extends string> {
  /** Goes on when the test has acted; at once if there is none. */
  testPoint(name: Name): Promise<void>;
  /** For tests: whoever reaches the point next waits for `act`; those after it do not, because `act` may get there, too. Returns what takes it back. */
  actAt(name: Name, act: () => Promise<void>): () => void;
}

export function createTestPoints<Name extends string>(): TestPoints<Name> {
  const acts = new Map<Name, () => Promise<void>>();
  return {
    async testPoint(name) {
      const act = acts.get(name);
      if (!act) return;
      acts.delete(name);
      await act();
    },
    actAt(name, act) {
      acts.set(name, act);
      return () => void acts.delete(name);
    },
  };
}
