// Texts of mails on the wire.
import { t } from '../../../platform/http/index.ts';
import { MAX_BODY, MAX_SUBJECT } from '../../ground/mail/index.ts';

const MailText = t.object({
  language: t.string(),
  template: t.string({ description: 'Which mail it is.' }),
  subject: t.string(),
  body: t.string({ description: 'Plain text. The HTML of the mail is made of it.' }),
  source: t.oneOf('file', 'service', 'default'),
  values: t.array(
    t.object({
      name: t.string({ description: 'Stands in the text as {{name}}.' }),
      kind: t.oneOf('text', 'sentence', 'url', 'time', 'duration'),
      required: t.boolean(),
    }),
  ),
  links: t.object({ self: t.string() }),
});
export const MailTextEnvelope = t.envelope('mail_text', MailText);
export const MailTextList = t.object({ mail_texts: t.array(MailText) });

const NewMailText = t.object({
  subject: t.string({ maxLength: MAX_SUBJECT, description: 'One line, without addresses.' }),
  body: t.string({
    maxLength: MAX_BODY,
    description:
      'Plain text. An address of a value, such as {{link}}, stands alone, with spaces or line breaks around it. Other addresses are those of this service, or of the hosts that its pages lead to.',
  }),
});
export const PutMailText = t.envelope('mail_text', NewMailText);
export const MailPreviewEnvelope = t.envelope(
  'preview',
  t.object({
    subject: t.string(),
    body: t.string(),
    url: t.string({ description: 'Shows the HTML of the mail until it expires, in frames of pages of this service.' }),
    expires_at: t.string(),
  }),
);

t.name({ MailText, MailTextEnvelope, MailTextList, NewMailText, PutMailText, MailPreviewEnvelope });
