// Compiles a syntax tree to a nondeterministic automaton. Its transitions are stored by their target, because a search goes through the text
// backwards.
import type { CharacterTest } from './characters.ts';
import { type AnchorTest, type Node, RegexProblem } from './tree.ts';

/** The accepting state. */
export const ACCEPT = 0;
const MAX_STATES = 5000;

export interface Lookaround {
  readonly program: Program;
  readonly behind: number | undefined;
  readonly negative: boolean;
}

/** When an epsilon transition may be taken: always, where an anchor matches, or where a lookaround does. */
export type Condition =
  | { readonly kind: 'always' }
  | { readonly kind: 'anchor'; readonly test: AnchorTest }
  | { readonly kind: 'lookaround'; readonly index: number; readonly look: Lookaround };

export interface Program {
  readonly start: number;
  readonly size: number;
  /** For each state, the transitions to it that consume a character. */
  readonly consuming: readonly Transitions[];
  /** For each state, the transitions to it that consume nothing. */
  readonly epsilon: readonly Transitions[];
  /** Without duplicates: a quantifier copies the states of what it repeats, but not the tests. */
  readonly tests: readonly CharacterTest[];
  readonly conditions: readonly Condition[];
  readonly lookarounds: readonly Lookaround[];
}

/** Pairs of numbers: the state where a transition starts, and the index of its test or condition. */
export type Transitions = readonly number[];

/** Number of states of an expression, lookarounds included: they share one limit. */
export interface Size {
  states: number;
}

interface Builder {
  readonly consuming: number[][];
  readonly epsilon: number[][];
  readonly tests: Map<CharacterTest, number>;
  readonly conditions: Condition[];
  readonly lookarounds: Lookaround[];
  readonly size: Size;
}

const ALWAYS = 0;

export function compile(node: Node, size: Size): Program {
  const builder: Builder = {
    consuming: [],
    epsilon: [],
    tests: new Map(),
    conditions: [{ kind: 'always' }],
    lookarounds: [],
    size,
  };
  addState(builder);
  const start = add(builder, node, ACCEPT);
  const { consuming, epsilon, tests, conditions, lookarounds } = builder;
  return { start, size: consuming.length, consuming, epsilon, tests: [...tests.keys()], conditions, lookarounds };
}

/** Adds a state with epsilon transitions to others. */
function addState(builder: Builder, ...next: number[]): number {
  builder.size.states += 1;
  if (builder.size.states > MAX_STATES)
    throw new RegexProblem('the regular expression cannot be used: its quantifiers make it too large');
  const state = builder.consuming.push([]) - 1;
  builder.epsilon.push([]);
  for (const target of next) builder.epsilon[target]!.push(state, ALWAYS);
  return state;
}

function addConsuming(builder: Builder, test: CharacterTest, next: number): number {
  const state = addState(builder);
  const index = builder.tests.get(test) ?? builder.tests.size;
  builder.tests.set(test, index);
  builder.consuming[next]!.push(state, index);
  return state;
}

function addEpsilon(builder: Builder, condition: Condition, next: number): number {
  const state = addState(builder);
  builder.epsilon[next]!.push(state, builder.conditions.push(condition) - 1);
  return state;
}

/** Adds the states of a node that is followed by `next`. Returns its first state. */
function add(builder: Builder, node: Node, next: number): number {
  switch (node.kind) {
    case 'character':
      return addConsuming(builder, node.test, next);
    case 'anchor':
      return addEpsilon(builder, node, next);
    case 'lookaround':
      return addEpsilon(builder, addLookaround(builder, node), next);
    case 'group':
      return add(builder, node.node, next);
    case 'sequence':
      return node.nodes.reduceRight((after, part) => add(builder, part, after), next);
    case 'alternation':
      return addState(builder, ...node.options.map((option) => add(builder, option, next)));
    case 'repeat':
      return addRepeat(builder, node, next);
  }
}

function addLookaround(builder: Builder, { node, behind, negative }: Extract<Node, { kind: 'lookaround' }>): Condition {
  const look = { program: compile(node, builder.size), behind, negative };
  return { kind: 'lookaround', index: builder.lookarounds.push(look) - 1, look };
}

function addRepeat(builder: Builder, { node, min, max }: Extract<Node, { kind: 'repeat' }>, next: number): number {
  let entry = next;
  if (max === Number.POSITIVE_INFINITY) {
    entry = addState(builder, next);
    builder.epsilon[add(builder, node, entry)]!.push(entry, ALWAYS);
  } else {
    for (let count = min; count < max; count += 1) {
      const before = add(builder, node, entry);
      if (before === entry) break;
      entry = addState(builder, before, next);
    }
  }
  for (let count = 0; count < min; count += 1) {
    const before = add(builder, node, entry);
    // The node matches only the empty text: repeating it changes nothing.
    if (before === entry) break;
    entry = before;
  }
  return entry;
}
