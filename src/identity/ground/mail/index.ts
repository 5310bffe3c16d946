// Mails to people: templates and a queue.
export type { Letter, TemplateName, Values } from './letters.ts';
export { createMail, type Mail } from './mail.ts';
export { checkMail, copyTemplates, sendTest } from './operator.ts';
export { mailTarget } from './transport.ts';
