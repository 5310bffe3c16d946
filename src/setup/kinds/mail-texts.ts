// Texts of mails that administrators wrote.
import { MAX_BODY, MAX_SUBJECT, type PlainText, tidyText } from '../../identity/ground/mail/index.ts';
import { t } from '../../platform/http/index.ts';
import type { Key } from '../model.ts';
import { pathId, textOf } from '../state.ts';
import type { KindDefinition } from './kind.ts';
import { quote } from './shared.ts';

const PATH = '/v3/OS-SERVICE/mail/texts';
const pathOf = ([language, template]: Key): string => `${PATH}/${pathId(String(language))}/${pathId(String(template))}`;
const tidied = (part: keyof PlainText) => (text: string) => tidyText({ subject: '', body: '', [part]: text })[part];
const BY_OPERATOR = 'the operator has given the mail as a file';

export const mail_text: KindDefinition = {
  label: ([language, template]) => `mail ${quote(template)} in ${quote(language)}`,
  required: {
    language: t.string({ minLength: 2, maxLength: 35, pattern: '^[A-Za-z0-9-]+$', description: 'As en, es.' }),
    template: t.string({ minLength: 1, maxLength: 64, pattern: '^[a-z0-9-]+$', description: 'Which mail it is, as invitation.' }),
  },
  fields: {
    subject: {
      schema: t.string({ minLength: 1, maxLength: MAX_SUBJECT, description: 'One line, without addresses.' }),
      isRequired: true,
      stored: tidied('subject'),
    },
    body: {
      schema: t.string({ minLength: 1, maxLength: MAX_BODY, description: 'Plain text, with values as {{link}}.' }),
      isRequired: true,
      stored: tidied('body'),
    },
  },
  keyOf: ({ language, template }: { readonly language: string; readonly template: string }) => [language, template],
  entryOf: ([language, template]) => ({ language, template }),
  exported: (entry, { locked }) => (locked === undefined ? entry : undefined),
  envelope: 'mail_text',
  async read(state) {
    for (const body of await state.client.list(PATH, 'mail_texts')) {
      const key = [textOf(body, 'language'), textOf(body, 'template')];
      const url = pathOf(key);
      if (body.source === 'default') state.setId('mail_text', key, url);
      else
        state.add('mail_text', key, body, {
          url,
          ...(body.source === 'file' ? { keep: BY_OPERATOR, locked: BY_OPERATOR, builtIn: true } : {}),
        });
    }
  },
  address: pathOf,
  whole: (text) => text,
  refusal: ({ key, path }, state) =>
    state.idOf('mail_text', key) === undefined
      ? { path, why: 'the service has no such mail, or not in this language' }
      : undefined,
  rule: () => 'identity:update_service_settings',
};
