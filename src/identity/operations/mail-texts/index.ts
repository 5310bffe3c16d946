// The texts of mails: what each says in each language, and what administrators wrote instead. How they are checked and filled: ground/mail.
export { mountMailTexts } from './mail-texts.routes.ts';
export { createMailTextManagement, type MailTextManagement } from './mail-texts.rules.ts';
