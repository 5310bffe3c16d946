// The settings in effect, where each comes from, and a form for each group of those that can be changed here.
import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { openDialog, openForm } from '../../shared/dialog.ts';
import { edit, type Version } from '../../shared/edit.ts';
import type { FormField, FormValues } from '../../shared/form.ts';
import { ApiError } from '../../shared/http.ts';
import { listQuery, searchBox } from '../../shared/list.ts';
import { hrefOf } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { durationText } from '../../shared/time.ts';
import { shared } from '../../shared/words/index.ts';
import { frame, goQuery } from '../frame.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { ServicePart } from './part.ts';

type Input =
  | { readonly type: 'text' | 'list' | 'address' | 'pattern' | 'secret' | 'flag' }
  | { readonly type: 'number'; readonly min: number; readonly max: number }
  | { readonly type: 'choice'; readonly choices: readonly string[] };

interface Setting {
  readonly key: string;
  readonly value: string | null;
  readonly source: 'environment' | 'file' | 'service' | 'default';
  readonly unit: string;
  readonly about: string;
  readonly group: keyof typeof words.settings.groups | null;
  readonly default: string | null;
  readonly input: Input;
}

const PATH = '/v3/OS-SERVICE/settings';
const isFixed = ({ source }: Setting): boolean => source === 'environment' || source === 'file';

/** What a person calls it; settings of the machine have no other name than their key. */
const nameOf = ({ key }: Setting): string => (words.settings.names as Readonly<Record<string, string>>)[key] ?? key;

/** The value of a choice in the words of the person. */
const choiceOf = (choice: string): string => (words.settings.choices as Readonly<Record<string, string>>)[choice] ?? choice;

function shownValue(setting: Setting): Content {
  const { value, unit, input } = setting;
  if (value === null || value === '') return words.service.notSet;
  if (input.type === 'flag' || input.type === 'choice') return choiceOf(value);
  if (input.type === 'number') return html`<span lang=${unit === 'seconds' ? nothing : 'en'}>${amount(value, setting)}</span>`;
  return html`<code>${value}</code>`;
}

/** A number with what it counts; times as people say them. */
const amount = (value: string, { unit, input }: Setting): string =>
  input.type !== 'number' ? value : unit === 'seconds' ? durationText(Number(value)) : `${value} ${unit}`;

/** Empty means the default: a secret that is set is not shown, and stays when nothing is entered. */
function fieldOf(setting: Setting): FormField {
  const { key, value, source, about, unit, input } = setting;
  const stored = source === 'service' ? (value ?? '') : '';
  const what = html`<span lang="en">${about}</span>`;
  const fallback =
    setting.default === null || setting.default === ''
      ? words.settings.noDefault
      : words.settings.defaultIs(amount(setting.default, setting));
  const range = input.type === 'number' ? words.settings.range(input.min, input.max, unit) : '';
  const common = { name: key, label: nameOf(setting), hint: html`${what} ${range} ${fallback}`, value: stored, unmarked: true };
  if (isFixed(setting))
    return {
      ...common,
      type: 'text',
      value: value ?? '',
      readOnly: true,
      hint: html`${words.settings.fixed} <code>${key}</code>`,
    };
  const options = (choices: readonly string[]) => [
    { value: '', label: words.settings.asDefault(choiceOf(setting.default ?? '')) },
    ...choices.map((choice) => ({ value: choice, label: choiceOf(choice) })),
  ];
  switch (input.type) {
    case 'choice':
      return { ...common, type: 'select', hint: what, options: options(input.choices) };
    case 'flag':
      return { ...common, type: 'select', hint: what, options: options(['on', 'off']) };
    case 'secret':
      return {
        ...common,
        type: 'password',
        value: undefined,
        hint: html`<span lang="en">${about}</span> ${value === null ? nothing : words.settings.secretSet}`,
      };
    case 'number':
      return { ...common, pattern: '\\d+' };
    default:
      return common;
  }
}

/** With the settings as they are stored: what was entered and not saved does not count. */
async function sendTestMail(): Promise<void> {
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

/** The service says keys; people see names. The refusal is shown at the setting that it is about. */
function withNames(error: unknown, settings: readonly Setting[]): unknown {
  if (!(error instanceof ApiError) || error.status !== 400) return error;
  const [, field] = /^Invalid setting: (GATEHOUSE_\w+)/.exec(error.message) ?? [];
  const text = error.message.replace(/^Invalid setting: /, '').replaceAll(/GATEHOUSE_\w+/g, (key) => {
    const found = settings.find((one) => one.key === key);
    return found ? `“${nameOf(found)}”` : key;
  });
  return new ApiError(error.status, text, { field });
}

export class Settings extends ServicePart {
  #version: Version<readonly Setting[]> = { thing: [], etag: undefined };

  async #read(signal?: AbortSignal): Promise<Version<readonly Setting[]>> {
    const { body, etag } = await api.read<{ settings: Setting[] }>(PATH, signal ? { signal } : {});
    return { thing: body.settings, etag };
  }

  async load(signal: AbortSignal): Promise<void> {
    this.#version = await this.#read(signal);
  }

  get #group(): Setting['group'] {
    const asked = this.location.query.get('group');
    return asked !== null && Object.hasOwn(words.settings.groups, asked) ? (asked as NonNullable<Setting['group']>) : null;
  }

  async #save(settings: readonly Setting[], values: FormValues, etag: string | undefined): Promise<void> {
    const changes: Record<string, string | null> = {};
    for (const setting of settings) {
      if (isFixed(setting)) continue;
      const entered = values.text(setting.key);
      const before = setting.source === 'service' ? (setting.value ?? '') : '';
      // Nothing entered for a secret: it stays as it is.
      if (setting.input.type === 'secret' ? entered !== '' : entered !== before)
        changes[setting.key] = entered === '' ? null : entered;
    }
    if (values.checked('forget'))
      for (const { key, input, source } of settings) if (input.type === 'secret' && source === 'service') changes[key] ??= null;
    try {
      await api.patch(PATH, { settings: changes }, etag === undefined ? {} : { ifMatch: etag });
    } catch (error) {
      throw withNames(error, this.#version.thing);
    }
  }

  #form(group: NonNullable<Setting['group']>): TemplateResult {
    const ofGroup = (all: readonly Setting[]) => all.filter((one) => one.group === group);
    const hasSecret = (all: readonly Setting[]) =>
      ofGroup(all).some(({ input, source }) => input.type === 'secret' && source === 'service');
    const forget: FormField = { name: 'forget', type: 'checkbox', label: words.settings.forgetSecret };
    const test = html`<button type="button" class="second" @click=${() => void sendTestMail()}>${words.settings.testMail}</button>`;
    return html`<p><a href=${hrefOf('/service/settings')}>${words.settings.all}</a></p>
      <section class="card"><div class="between"><h2>${words.settings.groups[group]}</h2>
        ${group === 'mail' && session.may('identity:send_test_mail') ? test : nothing}</div>
      ${keyed(
        // A form of its own for each version: a secret does not stay in it after it was saved.
        this.#version.etag,
        edit<readonly Setting[]>({
          version: this.#version,
          fields: (all) => [...ofGroup(all).map(fieldOf), ...(hasSecret(all) ? [forget] : [])],
          read: () => this.#read(),
          save: (values, etag) => this.#save(ofGroup(this.#version.thing), values, etag),
          onSaved: async () => {
            frame.setDirty(false);
            await this.reload();
            announce(words.settings.saved);
          },
          onDirty: () => frame.setDirty(true),
        }),
      )}</section>`;
  }

  #table(caption: string, rows: readonly Setting[]): TemplateResult {
    const { service } = words;
    return table<Setting>({
      caption,
      rows,
      key: ({ key }) => key,
      columns: [
        {
          name: service.setting,
          isHeader: true,
          cell: (setting) => html`${nameOf(setting)}<br /><span class="soft" lang="en">${setting.about}</span>
            ${setting.group === null ? nothing : html`<br /><code class="soft">${setting.key}</code>`}`,
        },
        { name: service.value, cell: shownValue },
        {
          name: service.source,
          cell: ({ source }) => html`<span class="badge ${source === 'default' ? '' : 'good'}">${service.sources[source]}</span>`,
        },
      ],
    });
  }

  content(): Content {
    const { service, settings } = words;
    const group = this.#group;
    const mayChange = session.may('identity:update_service_settings');
    if (group !== null && mayChange) return this.#form(group);
    const query = listQuery(this.location);
    const wanted = (query.search ?? '').toLowerCase();
    const rows = this.#version.thing.filter((one) => `${one.key} ${nameOf(one)} ${one.about}`.toLowerCase().includes(wanted));
    const groups = [...(Object.keys(settings.groups) as NonNullable<Setting['group']>[]), null]
      .map((id) => ({ id, rows: rows.filter((one) => one.group === id) }))
      .filter((one) => one.rows.length > 0);
    return html`<p>${service.settingsIntro} <a href="/openapi">${service.api}</a></p>
      ${searchBox(service.settingsWhat, query, goQuery)}
      ${groups.length === 0 ? html`<p class="empty">${service.noSetting}</p>` : nothing}
      ${groups.map(({ id, rows: own }) => {
        const title = id === null ? settings.machine : settings.groups[id];
        const change = html`<a class="button second" aria-label=${settings.changeOf(title)} href=${hrefOf('/service/settings', { group: id ?? '' })}>${settings.change}</a>`;
        return html`<section><div class="between"><h2>${title}</h2>${id !== null && mayChange ? change : nothing}</div>
          ${id === null ? html`<p class="soft">${settings.machineText}</p>` : nothing}
          ${this.#table(title, own)}</section>`;
      })}`;
  }
}
