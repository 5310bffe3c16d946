// Loaded before everything else, in every process and thread of a test: which mutant is chosen, and which are reached.
import { appendFileSync } from 'node:fs';

const state = { chosen: Number(process.env.MUTANT ?? 0), reached: new Set() };
/** Of processes and threads that tests start: they end at any time. */
const path = process.env.MUTANTS_REACHED;
globalThis.__mutants = state;
const reach = (id) => {
  if (state.reached.has(id)) return;
  state.reached.add(id);
  if (path) appendFileSync(path, `${id}\n`);
};
globalThis.__is = (id) => id === state.chosen;
globalThis.__mutant = (id) => {
  reach(id);
  return id === state.chosen;
};
/** 0: none. */
globalThis.__saw = (value, whereTrue, whereFalse) => {
  const id = value ? whereTrue : whereFalse;
  if (id !== 0) reach(id);
  return value;
};
