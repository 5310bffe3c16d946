// /account: people manage their own account. sections.ts lists the sections; each has a file for data and steps, and a page.

export { type DelegatedList, delegatedNotice } from './access.page.ts';
export { type AccountHandler, createAccountHandler } from './account.ts';
export type { DataDeps } from './data.section.ts';
export { serveInitiatedSignIn } from './initiated-sign-in.ts';
export { namesOf, readerOf } from './names.ts';
export type { RoleCredentialDeps } from './role-credentials.section.ts';
export { type TokenOfSessionDeps, tokenOfSession } from './session-token.ts';
export {
  askToSignIn,
  findSignedInPerson,
  lookFor,
  redirectToSignIn,
  type SignedInPerson,
  type SignedInPersonDeps,
} from './signed-in-person.ts';
