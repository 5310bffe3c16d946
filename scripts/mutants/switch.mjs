// Loaded before everything else, in every process and thread of a test: which mutant is chosen, and which are reached.
import { appendFileSync } from 'node:fs';

const state = { chosen: Number(process.env.MUTANT ?? 0), reached: new Set() };
/** Of processes and threads that tests start: they end at any time. */
const path = process.env.MUTANTS_REACHED;
globalThis.__mutants = state;
globalThis.__mutant = (id) => {
  if (!state.reached.has(id)) {
    state.reached.add(id);
    if (path) appendFileSync(path, `${id}\n`);
  }
  return id === state.chosen;
};
