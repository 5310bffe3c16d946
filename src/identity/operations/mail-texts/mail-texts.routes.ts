// /v3/OS-SERVICE/mail/texts: what each mail says, and what administrators wrote instead.
import { Answer } from '../../../platform/http/index.ts';
import type { IdentityApp } from '../../access/rules/index.ts';
import type { ShownText } from '../../ground/mail/index.ts';
import { CHANGE_IF_MATCH, DELETE_IF_MATCH, ETAG } from '../../ground/resource/index.ts';
import { renderPreview } from '../look/index.ts';
import type { MailTextManagement } from './mail-texts.rules.ts';
import { MailPreviewEnvelope, MailTextEnvelope, MailTextList, PutMailText } from './mail-texts.schema.ts';

const tag = 'Service';
const PATH = '/v3/OS-SERVICE/mail/texts';
const ONE = `${PATH}/:language/:template` as const;

const renderText = (base: string, text: ShownText) => ({
  ...text,
  links: { self: `${base}${PATH}/${text.language}/${text.template}` },
});

export function mountMailTexts(
  app: IdentityApp,
  { mailTextManagement: texts }: { readonly mailTextManagement: MailTextManagement },
): void {
  const target = ({ params }: { params: { language: string; template: string } }) =>
    texts.target(params.language, params.template);
  const answer = (base: string, text: ShownText) =>
    new Answer({ body: { mail_text: renderText(base, text) }, headers: { ETag: `"${texts.versionOf(text)}"` } });

  app.get(
    PATH,
    {
      id: 'listMailTexts',
      summary: 'List the texts of mails',
      description:
        'Each mail in each language, with the values that it can use. `source` says where the text is from: a file of the operator, the service, or the program.',
      tag,
      rule: 'identity:list_service_settings',
      reply: { 200: MailTextList },
    },
    ({ base }) => ({ mail_texts: texts.list().map((text) => renderText(base, text)) }),
  );

  app.get(
    ONE,
    {
      id: 'getMailText',
      summary: 'Show the text of a mail in one language',
      tag,
      rule: 'identity:list_service_settings',
      target,
      documentation: ETAG,
      reply: { 200: MailTextEnvelope },
    },
    ({ base, target: text }) => answer(base, text),
  );

  app.put(
    ONE,
    {
      id: 'setMailText',
      summary: 'Write the text of a mail in one language',
      description:
        'Mails that are sent from now on have it; other replicas follow within a second. Needs a recent login in person. 409 means that the operator has given the mail as a file.',
      tag,
      rule: 'identity:update_service_settings',
      target,
      documentation: CHANGE_IF_MATCH,
      body: PutMailText,
      reply: { 200: MailTextEnvelope },
    },
    async ({ base, caller, target: text, body, headers }) =>
      answer(base, await texts.replace(caller, text, body.mail_text, headers['if-match'])),
  );

  app.delete(
    ONE,
    {
      id: 'resetMailText',
      summary: 'Go back to the text of the program',
      description: 'Needs a recent login in person.',
      tag,
      rule: 'identity:update_service_settings',
      target,
      documentation: DELETE_IF_MATCH,
      reply: { 204: null },
    },
    ({ caller, target: text, headers }) => texts.reset(caller, text, headers['if-match']),
  );

  app.post(
    `${ONE}/preview`,
    {
      id: 'previewMailText',
      summary: 'Show how a mail would look with a text',
      description:
        'With sample values. Nothing is saved or sent; the address of the HTML is good for ten minutes. At most 120 in a minute, by one person.',
      tag,
      rule: 'identity:update_service_settings',
      target,
      body: PutMailText,
      reply: { 200: MailPreviewEnvelope },
    },
    async ({ base, caller, target: text, body }) => {
      const { subject, body: plain, ...preview } = await texts.preview(caller, text, body.mail_text);
      return { preview: { subject, body: plain, ...renderPreview(base, preview).preview } };
    },
  );
}
