// A test mail, and what the server answered.
import { html, nothing } from 'lit';
import { openDialog, openForm } from '../../shared/dialog.ts';
import { shared } from '../../shared/words/index.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';

/** With the settings as they are stored: what was entered and not saved does not count. */
export async function sendTestMail(): Promise<void> {
  const { settings } = words;
  let result: { accepted: boolean; sent_to: string; answer: string | null } | undefined;
  const sent = await openForm({
    title: settings.testMail,
    text: settings.testMailText,
    fields: [{ name: 'to', label: settings.testMailTo, type: 'email', required: true }],
    submitLabel: settings.testMailSend,
    submit: async (values) => {
      const body = { mail: { to: values.text('to'), language: shared.language } };
      ({ mail: result } = await api.post<{ mail: NonNullable<typeof result> }>('/v3/OS-SERVICE/mail/test', body));
    },
  });
  if (!sent || !result) return;
  const { accepted, sent_to: place, answer } = result;
  const text = html`<p>${accepted ? settings.testMailAccepted : settings.testMailRefused} <code>${place}</code></p>
    ${answer === null ? nothing : html`<p class="bad" lang="en">${answer}</p>`}`;
  await openDialog<void>(
    settings.testMail,
    (close) => html`${text}<div class="buttons"><button type="button" @click=${() => close()}>${shared.close}</button></div>`,
  );
}
