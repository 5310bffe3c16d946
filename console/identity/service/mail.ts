// Mail: the server and the sender, a test mail, and what each mail says in each language.
import { html, nothing, type TemplateResult } from 'lit';
import type { Version } from '../../shared/edit.ts';
import { LANGUAGES, type Language } from '../../shared/languages.ts';
import { hrefOf } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { table } from '../../shared/table.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { MailQueue } from './deliveries.ts';
import { type MailText, MailTextForm, nameOfMail, sourceBadge, TEXTS } from './mail-text.ts';
import { ServicePart } from './part.ts';
import { readSettings, type Setting, settingForm } from './setting-form.ts';
import { sendTestMail } from './test-mail.ts';

/** In itself. */
const nameOfLanguage = (language: string): string =>
  Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language as Language].name : language;

export class Mail extends ServicePart {
  #version: Version<readonly Setting[]> = { thing: [], etag: undefined };
  #texts: readonly MailText[] = [];
  #text: MailTextForm | undefined;
  #queue: MailQueue | undefined;

  async load(signal: AbortSignal): Promise<void> {
    const [language, template] = (this.location.query.get('text') ?? '').split('/');
    if (language && template) {
      const text = new MailTextForm(language, template, { reload: this.reload, update: this.update });
      await text.load(signal);
      this.#text = text;
      return;
    }
    this.#text = undefined;
    this.#version = await readSettings(signal);
    this.#queue = session.may('identity:list_deliveries') ? new MailQueue(this.location, this.reload, this.update) : undefined;
    await this.#queue?.load(signal);
    this.#texts = (await api.get<{ mail_texts: MailText[] }>(TEXTS, { signal })).mail_texts;
  }

  #server(): TemplateResult {
    const test = html`<button type="button" class="second" @click=${() => void sendTestMail()}>${words.settings.testMail}</button>`;
    return html`<section class="card"><div class="between"><h2>${words.mail.server}</h2>
        ${session.may('identity:send_test_mail') ? test : nothing}</div>
      ${session.may('identity:update_service_settings') ? settingForm(this.#version, 'mail', this.reload) : html`<p class="soft">${words.look.readOnly}</p>`}</section>`;
  }

  #list(): TemplateResult {
    const { mail } = words;
    const languages = [...new Set(this.#texts.map(({ language }) => language))];
    const names = [...new Set(this.#texts.map(({ template }) => template))];
    const inLanguage = (template: string, language: string): Content => {
      const text = this.#texts.find((one) => one.template === template && one.language === language);
      if (!text) return nothing;
      return html`<a href=${hrefOf('/service/mail', { text: `${language}/${template}` })} lang=${language}>${text.subject}</a>
        ${text.source === 'default' ? nothing : sourceBadge(text)}`;
    };
    return html`<section><h2>${mail.texts}</h2><p>${mail.textsIntro}</p>
      ${table<string>({
        caption: mail.texts,
        rows: names,
        key: (template) => template,
        columns: [
          { name: mail.mail, isHeader: true, cell: nameOfMail },
          ...languages.map((language) => ({
            name: nameOfLanguage(language),
            cell: (template: string) => inLanguage(template, language),
          })),
        ],
      })}</section>`;
  }

  content(): Content {
    if (this.#text) return this.#text.content();
    const queue = this.#queue && html`<section><h2>${words.mail.queue}</h2>${this.#queue.content()}</section>`;
    return html`<p>${words.mail.intro}</p>${this.#server()}${queue ?? nothing}${this.#list()}`;
  }
}
