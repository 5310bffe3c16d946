// The settings in effect, where each comes from, and a form for each group of those that can be changed here.
import { html, nothing, type TemplateResult } from 'lit';
import type { Version } from '../../shared/edit.ts';
import { listQuery, searchBox } from '../../shared/list.ts';
import { hrefOf } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { table } from '../../shared/table.ts';
import { goQuery } from '../frame.ts';
import { choosePerson } from '../people/sign-in-preview.ts';
import { session } from '../session.ts';
import { words } from '../words/index.ts';
import { ServicePart } from './part.ts';
import { type Group, nameOf, readSettings, type Setting, settingForm, shownDefault, shownValue } from './setting-form.ts';
import { sendTestMail } from './test-mail.ts';

/** Groups that decide what happens when somebody signs in. */
const OF_SIGN_IN: readonly Group[] = ['passwords', 'lock_out', 'factors', 'wallets', 'sessions'];

/** Groups with a screen of their own. */
const SCREENS: Readonly<Partial<Record<Group, string>>> = {
  look: '/service/look',
  mail: '/service/mail',
  registration: '/service/registration',
};

/** For whoever may ask about everybody. */
const previewButton = (): Content =>
  session.may('identity:preview_sign_in')
    ? html`<button type="button" class="second" @click=${() => void choosePerson()}>${words.signInPreview.choose}</button>`
    : nothing;

export class Settings extends ServicePart {
  protected readonly path: string = '/service/settings';
  #version: Version<readonly Setting[]> = { thing: [], etag: undefined };

  /** Those that are shown. Null: of the machine. */
  protected get groups(): readonly Setting['group'][] {
    return [...(Object.keys(words.settings.groups) as Group[]), null];
  }

  protected intro(): Content {
    const { service } = words;
    return html`<p>${service.settingsIntro} <a href="/openapi">${service.api}</a></p>
      <p>${previewButton()}</p>
      ${searchBox(service.settingsWhat, listQuery(this.location), goQuery)}`;
  }

  async load(signal: AbortSignal): Promise<void> {
    this.#version = await readSettings(signal);
  }

  get #group(): Setting['group'] {
    const asked = this.location.query.get('group');
    return asked !== null && Object.hasOwn(words.settings.groups, asked) ? (asked as Group) : null;
  }

  #form(group: Group): TemplateResult {
    const test = html`<button type="button" class="second" @click=${() => void sendTestMail()}>${words.settings.testMail}</button>`;
    return html`<p><a href=${hrefOf(this.path)}>${words.settings.all}</a></p>
      <section class="card"><div class="between"><h2>${words.settings.groups[group]}</h2>
        ${group === 'mail' && session.may('identity:send_test_mail') ? test : nothing}${OF_SIGN_IN.includes(group) ? previewButton() : nothing}</div>
      ${settingForm(this.#version, group, () => this.reload())}</section>`;
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
          cell: (setting) =>
            html`<span class="badge ${setting.source === 'default' ? '' : 'good'}">${service.sources[setting.source]}</span>${shownDefault(setting)}`,
        },
      ],
    });
  }

  content(): Content {
    const { service, settings } = words;
    const group = this.#group;
    const mayChange = session.may('identity:update_service_settings');
    if (group !== null && mayChange) return this.#form(group);
    const wanted = (listQuery(this.location).search ?? '').toLowerCase();
    const rows = this.#version.thing.filter((one) => `${one.key} ${nameOf(one)} ${one.about}`.toLowerCase().includes(wanted));
    const groups = this.groups
      .map((id) => ({ id, rows: rows.filter((one) => one.group === id) }))
      .filter((one) => one.rows.length > 0);
    return html`${this.intro()}
      ${groups.length === 0 ? html`<p class="empty">${service.noSetting}</p>` : nothing}
      ${groups.map(({ id, rows: own }) => {
        const title = id === null ? settings.machine : settings.groups[id];
        const change = html`<a class="button second" aria-label=${settings.changeOf(title)} href=${id !== null && Object.hasOwn(SCREENS, id) ? hrefOf(SCREENS[id]!) : hrefOf(this.path, { group: id ?? '' })}>${settings.change}</a>`;
        return html`<section><div class="between"><h2>${title}</h2>${id !== null && mayChange ? change : nothing}</div>
          ${id === null ? html`<p class="soft">${settings.machineText}</p>` : nothing}
          ${this.#table(title, own)}</section>`;
      })}`;
  }
}

/** How people sign in to the service: what a domain, a provider or an application says is elsewhere. */
export class SignIn extends Settings {
  protected override readonly path = '/service/sign-in';

  protected override get groups(): readonly Group[] {
    return OF_SIGN_IN;
  }

  protected override intro(): Content {
    const { service, providers, organizations } = words;
    const ways = [
      { path: '/domains', label: organizations.domains, rule: 'identity:list_domains' },
      { path: '/providers', label: providers.title, rule: 'identity:list_identity_providers' },
    ].filter(({ rule }) => session.may(rule));
    return html`<p>${service.signInIntro}</p>
      <p class="ways">${ways.map(({ path, label }) => html`<a href=${hrefOf(path)}>${label}</a> `)}</p>
      <p>${previewButton()}</p>`;
  }
}
