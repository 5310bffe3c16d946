// Regular expressions in Python's syntax, searched in linear time. Keystone uses Python's `re`, which backtracks: a search can take hours on
// a text that was made for it. Administrators write the expressions, but strangers can choose the texts.
export type { Steps } from './budget.ts';
export { Budget, BudgetError } from './budget.ts';
export { type Pattern, parsePattern } from './pattern.ts';
export { RegexProblem } from './tree.ts';
