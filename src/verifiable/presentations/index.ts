// Presentations, as a verifier reads them.
export { createPresentationVerifier, type PresentationVerifier } from './presentations.ts';
