// What people do without an administrator: a forgotten password, registration, another e-mail address.
// requests.ts limits the mails of strangers.
export { isAllowed, mailboxKey, readAddress } from './addresses.ts';
export { createEmailChange, type EmailChange } from './email-change.rules.ts';
export { createPasswordRecovery, type PasswordRecovery } from './password-recovery.rules.ts';
export { createMailRequests, type MailRequests, type StrangerRequest } from './requests.ts';
export {
  createSelfRegistration,
  type OpenDomain,
  type OpenRegistration,
  type SelfRegistration,
} from './self-registration.rules.ts';
export { acceptTerms, createTermsAtSignIn, presentTerms, type Terms, type TermsAtSignIn } from './terms.rules.ts';
