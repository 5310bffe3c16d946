// Mails to people: templates and a queue.
// letters.ts lists them and their values, templates/ has the texts, mail.ts the queue.
export type { Letter, TemplateName, Values } from './letters.ts';
export { createMail, type Mail } from './mail.ts';
export { checkMail, copyTemplates, sendTest, tryTest } from './operator.ts';
export { mailTarget } from './transport.ts';
