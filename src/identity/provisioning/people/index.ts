// What people do without an administrator: a forgotten password, registration, another e-mail address.
export { isAllowed, mailboxKey, readAddress } from './addresses.ts';
export { createEmailChange, type EmailChange } from './email-change.rules.ts';
export { CONFIRM_EMAIL_PAGE, FORGOTTEN_PASSWORD_PAGE, NEW_EMAIL_PAGE, NEW_PASSWORD_PAGE, REGISTER_PAGE } from './pages.ts';
export { createPasswordRecovery, type PasswordRecovery } from './password-recovery.rules.ts';
export { createMailRequests, type MailRequests, type StrangerRequest } from './requests.ts';
export { createSelfRegistration, type OpenDomain, type SelfRegistration } from './self-registration.rules.ts';
