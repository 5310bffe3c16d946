// What people do without an administrator: a forgotten password, registration, another e-mail address.
// requests.ts limits the mails of strangers.
export { isAllowed, mailboxKey, readAddress } from './addresses.ts';
export { createEmailChange, type EmailChange } from './email-change.rules.ts';
export { createPasswordRecovery, type PasswordRecovery } from './password-recovery.rules.ts';
export { createMailRequests, type MailRequests, type StrangerRequest } from './requests.ts';
export { createSelfRegistration, type OpenDomain, type SelfRegistration } from './self-registration.rules.ts';
export { acceptTerms, presentTerms, type Terms } from './terms.rules.ts';
