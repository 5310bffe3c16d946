// Mails to people: templates and a queue.
// letters.ts lists them and their values, templates/ has the texts, mail-texts.ts those that administrators wrote, mail.ts the queue.
export type { Letter, TemplateName, Values } from './letters.ts';
export { createMail, type Mail } from './mail.ts';
export { createMailTexts, type MailTexts, type ShownText } from './mail-texts.ts';
export { checkMail, copyTemplates, sendTest, tryTest } from './operator.ts';
export type { DomainMailLook } from './render.ts';
export { MAX_BODY, MAX_SUBJECT, type PlainText, tidyText } from './text-rules.ts';
export { mailTarget } from './transport.ts';
