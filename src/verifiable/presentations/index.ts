// Presentations, as a verifier reads them.
export {
  createPresentationVerifier,
  type ExpectedPresentation,
  type PresentationFormat,
  type PresentationVerifier,
} from './presentations.ts';
