// Applications ask a person to sign in who is somewhere else (OpenID Connect CIBA Core 1.0). What the library has to know of it is in
// provider/configuration/ciba.ts; receive.ts decides whether the person sees a request, answer.ts is what they say, tasks.ts is done in between,
// choices.ts is how a person wants to be asked.
export type { Approval, WaitingRequest } from './answer.ts';
export { type Asked, NOT_KNOWN_YET, SIGN_IN_REQUEST_MODEL, withAsked } from './asked.ts';
export { isSignInCode, type SignInRequestChoice } from './choices.ts';
export { createSignInRequests, POLL_SECONDS, type SignInRequests } from './sign-in-requests.ts';
