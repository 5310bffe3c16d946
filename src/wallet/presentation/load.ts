// The parts of this module that are expensive to load.
export { createPresentations } from './presentation.rules.ts';
export { createMatcher } from './query.ts';
export type { VerifierRules } from './verifier.ts';
