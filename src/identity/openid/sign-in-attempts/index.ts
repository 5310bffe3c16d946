// /v3/OS-OAUTH2/consumers/{id}/sign-in-attempts: trying the sign-in of an application from the console (ADR 021).

export { mountSignInAttempts } from './sign-in-attempts.routes.ts';
export { createSignInAttempts } from './sign-in-attempts.rules.ts';
