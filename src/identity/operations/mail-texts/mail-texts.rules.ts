// What administrators do about the texts of mails.
import { type Caller, type FreshLogin, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Preview, Previews } from '../../ground/look/index.ts';
import type { MailTexts, PlainText, ShownText } from '../../ground/mail/index.ts';
import { isMatch } from '../../ground/resource/index.ts';

export interface MailTextManagementDeps {
  readonly mailTexts: MailTexts;
  readonly previews: Previews;
  readonly freshLogin: FreshLogin;
}

export function createMailTextManagement({ mailTexts, previews, freshLogin }: MailTextManagementDeps) {
  async function write(caller: Caller, target: ShownText, text: PlainText | undefined, ifMatch: string | undefined) {
    await freshLogin.requireInPerson(caller, 'identity:update_service_settings');
    await mailTexts.write(caller, target, text, (version) => isMatch(ifMatch, version));
    return mailTexts.find(target.language, target.template)!;
  }

  return {
    list: mailTexts.list,
    versionOf: mailTexts.versionOf,

    target: (language: string, template: string): IdentityTarget<ShownText> =>
      targetOf(
        mailTexts.find(language, template),
        () => ({}),
        () => fail('mail_text.not_found', { id: `${language}/${template}` }),
      ),

    replace: (caller: Caller, target: ShownText, text: PlainText, ifMatch: string | undefined): Promise<ShownText> =>
      write(caller, target, text, ifMatch),

    async reset(caller: Caller, target: ShownText, ifMatch: string | undefined): Promise<void> {
      await write(caller, target, undefined, ifMatch);
    },

    async preview({ userId }: Caller, target: ShownText, asked: PlainText): Promise<Preview & PlainText> {
      const { subject, text, html } = mailTexts.preview(target, asked);
      return { subject, body: text, ...(await previews.make(userId, { kind: 'mail', html })) };
    },
  };
}

export type MailTextManagement = ReturnType<typeof createMailTextManagement>;
