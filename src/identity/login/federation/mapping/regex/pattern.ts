// Searches a text for an expression. It visits every position of the text once, from the end to the start, with the set of states from which
// the accepting state can be reached. The cost is at most the length of the text times the number of states, for every expression.
// A mapping only asks whether there is a match, not which one, so the order of alternatives does not matter.
import type { Steps } from './budget.ts';
import { parse } from './parse.ts';
import { ACCEPT, type Condition, compile, type Program, type Size } from './program.ts';
import type { CodePoints } from './tree.ts';

/** One step is a transition. These are the other costs, in steps. */
const STEPS_PER_POSITION = 4;
const STEPS_PER_SEARCH = 50;

export interface Pattern {
  /** Number of states: the maximum cost of each character. */
  readonly states: number;
  readonly search: (text: CodePoints, steps: Steps) => boolean;
}

/** Throws a RegexProblem if the expression is invalid or not supported. */
export function parsePattern(source: string): Pattern {
  const size: Size = { states: 0 };
  const program = compile(parse(source), size);
  return { states: size.states, search: (text, steps) => walk(program, text, steps, () => true) };
}

/** For each position of the text, its end included, whether a match starts there. */
function matchStarts(program: Program, text: CodePoints, steps: Steps): Uint8Array {
  const starts = new Uint8Array(text.length + 1);
  walk(program, text, steps, (at) => {
    starts[at] = 1;
    return false;
  });
  return starts;
}

/** Calls `onStart` with each position where a match starts, until it returns true. */
function walk(program: Program, text: CodePoints, steps: Steps, onStart: (at: number) => boolean): boolean {
  const { consuming, epsilon, tests, start, size } = program;
  steps.spend(STEPS_PER_SEARCH + size);
  const lookarounds = program.lookarounds.map((look) => matchStarts(look.program, text, steps));
  const conditions = program.conditions.map((condition) => holdsAt(condition, text, lookarounds));
  /** The last position where each state was reached, so that it is added only once. */
  const reachedAt = new Int32Array(size).fill(-1);
  /** The last position of each test, and its result there. */
  const testedAt = new Int32Array(tests.length).fill(-1);
  const passed = new Uint8Array(tests.length);
  let [states, after] = [new Int32Array(size), new Int32Array(size)];
  let [count, afterCount] = [0, 0];
  for (let at = text.length; at >= 0; at -= 1) {
    let work = STEPS_PER_POSITION;
    states[0] = ACCEPT;
    reachedAt[ACCEPT] = at;
    count = 1;
    for (let index = 0; index < afterCount; index += 1) {
      const edges = consuming[after[index]!]!;
      work += edges.length;
      for (let edge = 0; edge < edges.length; edge += 2) {
        const test = edges[edge + 1]!;
        if (testedAt[test] !== at) {
          testedAt[test] = at;
          passed[test] = tests[test]!(text[at]!) ? 1 : 0;
        }
        const state = edges[edge]!;
        if (passed[test] === 0 || reachedAt[state] === at) continue;
        reachedAt[state] = at;
        states[count++] = state;
      }
    }
    // `count` grows in this loop.
    for (let index = 0; index < count; index += 1) {
      const edges = epsilon[states[index]!]!;
      work += edges.length;
      for (let edge = 0; edge < edges.length; edge += 2) {
        const state = edges[edge]!;
        if (reachedAt[state] === at || !conditions[edges[edge + 1]!]!(at)) continue;
        reachedAt[state] = at;
        states[count++] = state;
      }
    }
    steps.spend(work);
    if (reachedAt[start] === at && onStart(at)) return true;
    [states, after] = [after, states];
    afterCount = count;
  }
  return false;
}

function holdsAt(condition: Condition, text: CodePoints, lookarounds: readonly Uint8Array[]): (at: number) => boolean {
  if (condition.kind === 'always') return () => true;
  if (condition.kind === 'anchor') return (at) => condition.test(text, at);
  const { look, index } = condition;
  const starts = lookarounds[index]!;
  const width = look.behind ?? 0;
  return (at) => (at >= width && starts[at - width] === 1) !== look.negative;
}
