// How a room reaches those above it, which it does not import: they listen to its news, and answer its questions.
import type { Change } from '../audit/index.ts';

/** Whoever listens acts in the transaction of the change. */
export function createNews<About extends readonly unknown[]>() {
  type Listener = (change: Change, ...about: About) => Promise<unknown>;
  const listeners: Listener[] = [];
  return {
    listen: (...more: readonly Listener[]): void => void listeners.push(...more),
    async tell(change: Change, ...about: About): Promise<void> {
      for (const listener of listeners) await listener(change, ...about);
    },
  };
}

/** What a room above knows; undefined if it knows nothing. */
export function createInquiry<About extends readonly unknown[], Known>() {
  type Answer = (...about: About) => Promise<Known | undefined>;
  let answer: Answer | undefined;
  return {
    answer(known: Answer): void {
      answer = known;
    },
    ask: async (...about: About): Promise<Known | undefined> => answer?.(...about),
  };
}

/** Yes, if any of those who can answer says so. */
export function createQuestion<About extends readonly unknown[]>() {
  type Answer = (...about: About) => Promise<boolean>;
  const answers: Answer[] = [];
  return {
    answer: (...more: readonly Answer[]): void => void answers.push(...more),
    async ask(...about: About): Promise<boolean> {
      for (const answer of answers) if (await answer(...about)) return true;
      return false;
    },
  };
}
