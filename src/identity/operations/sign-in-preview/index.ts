// What happens when a person signs in: said before they do, by the functions that decide it when they do.
// next-steps.ts is what the pages ask after each step.
export { createNextSteps, type StepsAfter } from './next-steps.ts';
export { mountSignInPreview } from './sign-in-preview.routes.ts';
export { createSignInPreview, type SignInPreview } from './sign-in-preview.rules.ts';
