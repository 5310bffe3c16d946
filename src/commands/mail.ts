// mail: a test mail, and a copy of the templates.
import { openDataFolder } from '../data-folder.ts';
import { serviceUrl } from '../platform/config/index.ts';
import type { Command } from './command.ts';
import { print, settings } from './support.ts';

export const mailCommands: readonly Command[] = [
  {
    words: 'mail test',
    about: 'send a test mail with the current settings, and print where it went',
    args: [{ name: 'ADDRESS', about: 'the recipient' }],
    options: { language: { value: 'LANGUAGE', about: 'language of the mail, such as en or es' } },
    async run({ args: [to], options: { language } }) {
      const { sendTest } = await import('../identity/ground/mail/index.ts');
      const { shared, identity } = settings();
      const url = serviceUrl(identity, shared.tlsCertFile !== undefined);
      const where = await sendTest(identity, openDataFolder(shared.dataDir), { to: to!, language, at: Date.now(), url });
      print(`sent: ${where}`);
    },
  },
  {
    words: 'mail templates',
    about: 'copy the built-in templates of mails to a folder',
    more: 'Change them there, and set GATEHOUSE_IDENTITY_MAIL_TEMPLATES to the folder. Files that you do not change can be removed.',
    args: [{ name: 'FOLDER', about: 'a new or empty folder' }],
    async run({ args: [folder] }) {
      const { copyTemplates } = await import('../identity/ground/mail/index.ts');
      copyTemplates(folder!);
      print(`copied to ${folder}`);
    },
  },
];
