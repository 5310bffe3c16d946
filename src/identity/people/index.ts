// What people do without an administrator: a forgotten password, registration, another e-mail address.
export { FORGOTTEN_PASSWORD_PAGE, NEW_PASSWORD_PAGE } from './pages.ts';
export { createPasswordRecovery, type ForgottenPassword, type PasswordRecovery } from './password-recovery.rules.ts';
export { createMailRequests, type MailRequests, type StrangerRequest } from './requests.ts';
