// Everything of this module that costs something to load.
export { createPresentations } from './presentation.rules.ts';
export { createMatcher } from './query.ts';
export type { VerifierRules } from './verifier.ts';
