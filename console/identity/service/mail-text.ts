// The text of one mail in one language: written, seen with sample values, and reset to that of the program.
import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { confirmAct } from '../../shared/dialog.ts';
import { edit, type Version } from '../../shared/edit.ts';
import type { FormField } from '../../shared/form.ts';
import { type Problem, problemMessage, problemOf } from '../../shared/problem.ts';
import { hrefOf, part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { frame } from '../frame.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';

export interface MailText {
  readonly language: string;
  readonly template: string;
  readonly subject: string;
  readonly body: string;
  readonly source: 'file' | 'service' | 'default';
  readonly values: readonly { readonly name: string; readonly kind: string; readonly required: boolean }[];
}

interface Preview {
  readonly subject: string;
  readonly body: string;
  readonly url: string;
}

export const TEXTS = '/v3/OS-SERVICE/mail/texts';
const PAUSE_MS = 400;

export const nameOfMail = (template: string): string =>
  (words.mail.names as Readonly<Record<string, string>>)[template] ?? template;

export const sourceBadge = ({ source }: MailText): TemplateResult =>
  html`<span class="badge ${source === 'default' ? '' : 'good'}">${words.mail.sources[source]}</span>`;

export class MailTextForm {
  readonly #path: string;
  readonly #screen: { reload(): Promise<void>; update(): void };
  #version: Version<MailText> | undefined;
  #entered: { subject: string; body: string } = { subject: '', body: '' };
  #preview: Preview | undefined;
  #problem: Problem | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(language: string, template: string, screen: { reload(): Promise<void>; update(): void }) {
    this.#path = `${TEXTS}/${part(language)}/${part(template)}`;
    this.#screen = screen;
  }

  async #read(signal?: AbortSignal): Promise<Version<MailText>> {
    const { body, etag } = await api.read<{ mail_text: MailText }>(this.#path, signal ? { signal } : {});
    return { thing: body.mail_text, etag };
  }

  async load(signal: AbortSignal): Promise<void> {
    this.#version = await this.#read(signal);
    const { subject, body } = this.#version.thing;
    this.#entered = { subject, body };
    if (session.may('identity:update_service_settings')) await this.#show(signal);
  }

  async #show(signal?: AbortSignal): Promise<void> {
    try {
      const body = { mail_text: this.#entered };
      const { preview } = await api.post<{ preview: Preview }>(`${this.#path}/preview`, body, signal ? { signal } : {});
      this.#preview = preview;
      this.#problem = undefined;
    } catch (error) {
      if (signal?.aborted) throw error;
      this.#problem = problemOf(error, true);
    }
  }

  #enter(change: Partial<{ subject: string; body: string }>): void {
    this.#entered = { ...this.#entered, ...change };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#show().then(() => this.#screen.update()), PAUSE_MS);
  }

  #fields({ subject, body, source }: MailText): FormField[] {
    const { mail } = words;
    const readOnly = source === 'file';
    return [
      {
        name: 'subject',
        label: mail.subject,
        value: subject,
        required: true,
        maxLength: 200,
        readOnly,
        onChange: (value) => this.#enter({ subject: value }),
      },
      {
        name: 'body',
        label: mail.body,
        type: 'textarea',
        hint: mail.bodyHint,
        value: body,
        required: true,
        maxLength: 10_000,
        readOnly,
        onChange: (value) => this.#enter({ body: value }),
      },
    ];
  }

  async #reset({ thing, etag }: Version<MailText>): Promise<void> {
    const { mail } = words;
    const run = (): Promise<void> => api.delete(this.#path, etag === undefined ? {} : { ifMatch: etag });
    if (!(await confirmAct({ title: mail.reset, text: mail.resetText(nameOfMail(thing.template)), action: mail.reset, run })))
      return;
    frame.setDirty(false);
    await this.#screen.reload();
    announce(mail.wasReset);
  }

  #form(version: Version<MailText>): TemplateResult {
    const { mail } = words;
    const { thing } = version;
    const reset = html`<button type="button" class="second danger" @click=${() => void this.#reset(version)}>${mail.reset}</button>`;
    return html`<section class="card mail-text"><div class="between"><h2>${nameOfMail(thing.template)}</h2>${sourceBadge(thing)}</div>
      <p class="hint">${mail.values} ${thing.values.map(({ name, required }) => html`<code>{{${name}}}</code>${required ? html` (${mail.required})` : nothing} `)}</p>
      ${thing.source === 'file' ? html`<p class="soft">${mail.fixed}</p>` : nothing}
      ${keyed(
        version.etag,
        edit<MailText>({
          version,
          fields: (text) => this.#fields(text),
          read: () => this.#read(),
          save: (values, etag) =>
            api.put(
              this.#path,
              { mail_text: { subject: values.text('subject'), body: values.text('body') } },
              etag === undefined ? {} : { ifMatch: etag },
            ),
          onSaved: async () => {
            frame.setDirty(false);
            await this.#screen.reload();
            announce(mail.saved);
          },
          onDirty: () => frame.setDirty(true),
        }),
      )}
      ${thing.source === 'service' ? html`<div class="buttons">${reset}</div>` : nothing}</section>`;
  }

  #window(): TemplateResult {
    const { mail } = words;
    const preview = this.#preview;
    // It comes from here, whatever the public address of the service is.
    const path = preview && URL.parse(preview.url)?.pathname;
    return html`<section class="card"><h2>${mail.preview}</h2><p class="hint">${mail.previewText}</p>${problemMessage(this.#problem)}
      ${
        preview && path
          ? html`<p><strong>${preview.subject}</strong></p><iframe class="preview" title=${mail.preview} src=${path} sandbox=""></iframe>
            <details><summary>${mail.plain}</summary><pre class="plain-mail">${preview.body}</pre></details>`
          : nothing
      }</section>`;
  }

  content(): Content {
    const version = this.#version;
    if (!version) return nothing;
    const back = html`<p><a href=${hrefOf('/service/mail')}>${words.mail.all}</a></p>`;
    if (!session.may('identity:update_service_settings'))
      return html`${back}<section class="card"><h2>${nameOfMail(version.thing.template)}</h2><p><strong>${version.thing.subject}</strong></p>
        <pre class="plain-mail">${version.thing.body}</pre></section>`;
    return html`${back}<div class="beside"><div>${this.#form(version)}</div>${this.#window()}</div>`;
  }
}
