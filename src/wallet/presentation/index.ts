// Presentation (OID4VP). The rules and their libraries are loaded with the first request (modules.ts).
// In this order: request, start, verifier, evaluation (query), then preview, submission (vp-token, answer) or refusal, conclusion.
export { mountPresentations } from './presentation.routes.ts';
export type { Presentations } from './presentation.rules.ts';
export { type RegisteredVerifiers, readVerifiers } from './registered-verifiers.ts';
export const loadPresentations = () => import('./load.ts');
