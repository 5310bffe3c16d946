// How people of a domain sign in, and the directory where they are: what is in force, from where, and what can be changed here.
import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { confirmAct, openDialog } from '../../shared/dialog.ts';
import { edit, type Version } from '../../shared/edit.ts';
import type { FormField } from '../../shared/form.ts';
import { part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { time } from '../../shared/time.ts';
import { shared } from '../../shared/words/index.ts';
import { frame } from '../frame.ts';
import { LOOK_FIELDS, type LookField, LookPanel } from '../look/look-panel.ts';
import { agreesToConsequences } from '../service/consequences.ts';
import { type AnySetting, changesIn, settingField } from '../service/setting-field.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';

interface DomainSetting extends AnySetting {
  readonly group: string;
  readonly source: keyof typeof words.domainSettings.sources;
  readonly fixed: string | null;
  readonly may_change: boolean;
}

interface Reading {
  readonly ended_at: string;
  readonly failure: string | null;
  readonly people: number;
  readonly groups: number;
  readonly left: number;
}

interface State {
  readonly connected: boolean;
  readonly operated: boolean;
  readonly people: number;
  readonly groups: number;
  readonly last_read_at: string | null;
  readonly reading: boolean;
  readonly last_reading: Reading | null;
}

interface Trial {
  readonly results: readonly {
    readonly step: keyof typeof words.domainSettings.steps;
    readonly server: string | null;
    readonly ok: boolean;
    readonly why: string | null;
  }[];
  readonly users: readonly { readonly name: string; readonly email: string | null; readonly dn: string }[];
  readonly groups: readonly { readonly name: string; readonly dn: string }[];
}

/** The screen around it. */
interface Shown {
  reload(): Promise<unknown>;
  update(): void;
}

type Versioned = Version<readonly DomainSetting[]>;

const SERVER = /^ldap\.(url|user|password|use_tls|tls_req_cert|tls_cacert|suffix|query_scope)$/;

/** Of Keystone's directories, and without effect here: shown where one is stored, so that it can be taken away. */
const WITHOUT_EFFECT =
  /^ldap\.(alias_dereferencing|chase_referrals|debug_level|user_pass_attribute|use_auth_pool|auth_pool_connection_lifetime)$/;

const isStored = ({ source, value, input, default: outer }: DomainSetting): boolean =>
  source === 'domain' && !(input.type === 'secret' && value === null && outer === null);

const nameOf = ({ key }: DomainSetting): string =>
  (words.domainSettings.names as Readonly<Record<string, string>>)[key] ?? key.slice(key.indexOf('.') + 1);

/** The part of the form in which a setting of the directory is. */
const partOf = ({ key }: DomainSetting): keyof typeof words.domainSettings.parts => {
  if (SERVER.test(key)) return 'server';
  return key.startsWith('ldap.user_') ? 'people' : key.startsWith('ldap.group_') ? 'groups' : 'more';
};

function fieldOf(setting: DomainSetting): FormField {
  const { domainSettings } = words;
  const from = domainSettings.source(domainSettings.sources[setting.source]);
  const locked = setting.may_change ? undefined : (setting.fixed ?? domainSettings.ofAdministrators);
  const isText = setting.fixed !== null;
  const field = settingField(setting, {
    label: nameOf(setting),
    isStored: isStored(setting),
    fixed: locked === undefined ? undefined : html`<span lang=${isText ? 'en' : nothing}>${locked}</span>`,
  });
  const more: Partial<FormField> = setting.key === 'ldap.tls_cacert' && locked === undefined ? { type: 'textarea' } : {};
  return { ...field, ...more, hint: html`${field.hint} ${from}` };
}

/** The first field of each part has its title. */
function inParts(
  all: readonly DomainSetting[],
  titleOf: (one: DomainSetting) => string | undefined,
  onEntered?: (key: string, value: string) => void,
): FormField[] {
  const field = (setting: DomainSetting): FormField => ({
    ...fieldOf(setting),
    ...(onEntered ? { onChange: (value: string) => onEntered(setting.key, value) } : {}),
  });
  const isRare = (one: DomainSetting): number => Number(one.group === 'ldap' && partOf(one) === 'more');
  const byTitle = Map.groupBy(
    all.toSorted((one, other) => isRare(one) - isRare(other)),
    titleOf,
  );
  return [...byTitle].flatMap(([title, some]) =>
    some.map((setting, at) => (at === 0 && title !== undefined ? { ...field(setting), section: { title } } : field(setting))),
  );
}

/** The tabs of a domain that are about its settings. */
export class DomainSettings {
  readonly #path: string;
  readonly #name: string;
  readonly #may: (rule: string) => boolean;
  readonly #reload: () => Promise<unknown>;
  #version: Versioned = { thing: [], etag: undefined };
  #state: State | undefined;
  readonly #look: LookPanel;

  constructor(
    { id, name }: { readonly id: string; readonly name: string },
    may: (rule: string) => boolean,
    { reload, update }: Shown,
  ) {
    this.#name = name;
    this.#may = may;
    this.#path = `/v3/OS-SERVICE/domains/${part(id)}`;
    this.#reload = reload;
    const keys = LOOK_FIELDS.map((field) => [field, `look.${field}`]);
    this.#look = new LookPanel({
      path: `${this.#path}/look`,
      keys: Object.fromEntries(keys) as Record<LookField, string>,
      pictureTexts: words.domainSettings.pictures,
      reload: async () => void (await reload()),
      update,
    });
  }

  async #read(signal?: AbortSignal): Promise<Versioned> {
    const { body, etag } = await api.read<{ settings: DomainSetting[] }>(`${this.#path}/settings`, signal ? { signal } : {});
    return { thing: body.settings, etag };
  }

  async load(tab: string, signal: AbortSignal): Promise<void> {
    const state = async (): Promise<State | undefined> =>
      tab === 'directory' ? (await api.get<{ directory: State }>(`${this.#path}/directory`, { signal })).directory : undefined;
    [this.#version, this.#state] = await Promise.all([this.#read(signal), state()]);
    if (tab !== 'look') return;
    const settings = this.#version.thing.filter(({ group }) => group === 'look');
    await this.#look.load({ settings, mayChange: settings.some((one) => one.may_change), fixedLogo: undefined }, signal);
  }

  #form(
    belongs: (one: DomainSetting) => boolean,
    titleOf: (one: DomainSetting) => string | undefined,
    onEntered?: (key: string, value: string) => void,
  ): TemplateResult {
    const { domainSettings } = words;
    return html`${keyed(
      // A form of its own for each version: a secret does not stay in it after it was saved.
      this.#version.etag,
      edit<readonly DomainSetting[]>({
        version: this.#version,
        fields: (all) => inParts(all.filter(belongs), titleOf, onEntered),
        read: () => this.#read(),
        save: async (values, etag, present) => {
          const settings = changesIn(
            present.filter((one) => belongs(one) && one.may_change),
            (key) => values.text(key),
            isStored,
          );
          if (!(await agreesToConsequences(present, settings, this.#name))) return false;
          return api.patch(`${this.#path}/settings`, { settings }, etag === undefined ? {} : { ifMatch: etag });
        },
        onSaved: async () => {
          frame.setDirty(false);
          await this.#reload();
          announce(domainSettings.saved);
        },
        onDirty: () => frame.setDirty(true),
      }),
    )}`;
  }

  signIn(): Content {
    const { domainSettings } = words;
    const groups: Readonly<Record<string, string>> = domainSettings.groups;
    const form = this.#form(
      ({ group }) => Object.hasOwn(groups, group),
      ({ group }) => groups[group]!,
    );
    return html`<section class="card"><h2>${domainSettings.signIn}</h2><p>${domainSettings.signInText}</p>${form}</section>`;
  }

  look(): Content {
    const { domainSettings } = words;
    const form = this.#form(
      ({ group }) => group === 'look',
      () => undefined,
      this.#look.entered,
    );
    return html`<p>${domainSettings.lookText}</p>${this.#look.content(form)}`;
  }

  async #act(run: () => Promise<unknown>, done: string): Promise<void> {
    await run();
    await this.#reload();
    announce(done);
  }

  async #connect(isConnected: boolean): Promise<void> {
    const { domainSettings } = words;
    const done = await confirmAct({
      title: isConnected ? domainSettings.disconnectTitle : domainSettings.connectTitle,
      text: isConnected ? domainSettings.disconnectText(this.#state?.people ?? 0) : domainSettings.connectText,
      action: isConnected ? domainSettings.disconnect : domainSettings.connect,
      danger: isConnected,
      run: async () => {
        const { etag } = this.#version;
        const settings = { 'identity.driver': isConnected ? null : 'ldap' };
        await api.patch(`${this.#path}/settings`, { settings }, etag === undefined ? {} : { ifMatch: etag });
      },
    });
    if (!done) return;
    await this.#reload();
    announce(domainSettings.saved);
  }

  /** With what is in the form, which need not be saved. */
  async #try(event: Event): Promise<void> {
    const form = (event.currentTarget as HTMLElement).closest('section')?.parentElement?.querySelector('.directory-form form');
    const entered = form instanceof HTMLFormElement ? new FormData(form) : new FormData();
    const own = this.#version.thing.filter(({ group, may_change, key }) => group === 'ldap' && may_change && entered.has(key));
    const settings = changesIn(own, (key) => String(entered.get(key) ?? '').trim(), isStored);
    let found: Trial | undefined;
    const { domainSettings } = words;
    const done = await confirmAct({
      title: domainSettings.try,
      text: domainSettings.tryTitle,
      action: domainSettings.try,
      danger: false,
      run: async () => {
        found = (await api.post<{ test: Trial }>(`${this.#path}/directory/test`, { test: { settings } })).test;
      },
    });
    if (done && found) await showTrial(found);
  }

  #stateCard(state: State): TemplateResult {
    const { domainSettings } = words;
    const reading = state.last_reading;
    const driver = this.#version.thing.find(({ key }) => key === 'identity.driver');
    const mayChange = driver?.may_change === true;
    const outcome = reading
      ? reading.failure === null
        ? domainSettings.outcome(reading.people, reading.groups, reading.left)
        : html`<span class="bad">${domainSettings.failed}</span> <span lang="en">${reading.failure}</span>`
      : domainSettings.never;
    const button = (label: string, act: (event: Event) => void, kind = 'second') =>
      html`<button type="button" class=${kind} @click=${act}>${label}</button>`;
    return html`<section class="card"><h2>${domainSettings.state}</h2>
      <p>${domainSettings.directoryText}</p>
      ${state.operated ? html`<p>${domainSettings.operated}</p>` : nothing}
      <dl class="facts">
        <dt>${domainSettings.state}</dt>
        <dd><span class="badge ${state.connected ? 'good' : ''}">${state.connected ? domainSettings.connected : domainSettings.notConnected}</span></dd>
        <dt>${domainSettings.people}</dt><dd>${state.people}</dd>
        <dt>${domainSettings.groupsIn}</dt><dd>${state.groups}</dd>
        <dt>${domainSettings.leavers}</dt><dd>${domainSettings.leaversText}</dd>
        <dt>${domainSettings.lastRead}</dt><dd>${time(state.last_read_at, domainSettings.never)}</dd>
        <dt>${domainSettings.lastReading}</dt>
        <dd>${reading ? time(reading.ended_at) : nothing} ${outcome} ${state.reading ? domainSettings.reading : nothing}</dd>
      </dl>
      <div class="buttons">
        ${this.#may('identity:test_directory') ? button(domainSettings.try, (event) => void this.#try(event)) : nothing}
        ${this.#may('identity:read_directory') && state.connected ? button(domainSettings.readNow, () => void this.#act(() => api.post(`${this.#path}/directory/read`), domainSettings.readBegun)) : nothing}
        ${mayChange ? button(state.connected ? domainSettings.disconnect : domainSettings.connect, () => void this.#connect(state.connected), state.connected ? 'second danger' : '') : nothing}
      </div></section>`;
  }

  directory(): Content {
    const { domainSettings } = words;
    if (!this.#state) return nothing;
    const form = this.#form(
      (one) => one.group === 'ldap' && (isStored(one) || !WITHOUT_EFFECT.test(one.key)),
      (one) => domainSettings.parts[partOf(one)],
    );
    return html`<div>${this.#stateCard(this.#state)}<section class="card directory-form"><h2>${domainSettings.directory}</h2>${form}</section></div>`;
  }
}

async function showTrial({ results, users, groups }: Trial): Promise<void> {
  const { domainSettings } = words;
  const steps = table<Trial['results'][number]>({
    caption: domainSettings.tryTitle,
    rows: results,
    columns: [
      {
        name: domainSettings.name,
        isHeader: true,
        cell: ({ step, server }) =>
          html`${domainSettings.steps[step]}${server === null ? nothing : html`<br /><code>${server}</code>`}`,
      },
      {
        name: domainSettings.state,
        cell: ({ ok, why }) =>
          ok
            ? html`<span class="badge good">${domainSettings.good}</span>`
            : html`<span class="badge bad">${domainSettings.bad}</span> <span lang="en">${why}</span>`,
      },
    ],
  });
  const people = table<Trial['users'][number]>({
    caption: domainSettings.foundPeople,
    rows: users,
    columns: [
      { name: domainSettings.name, isHeader: true, cell: ({ name }) => name },
      { name: domainSettings.email, cell: ({ email }) => email ?? '' },
      { name: domainSettings.entry, cell: ({ dn }) => html`<code>${dn}</code>` },
    ],
  });
  const found = table<Trial['groups'][number]>({
    caption: domainSettings.foundGroups,
    rows: groups,
    columns: [
      { name: domainSettings.name, isHeader: true, cell: ({ name }) => name },
      { name: domainSettings.entry, cell: ({ dn }) => html`<code>${dn}</code>` },
    ],
  });
  await openDialog<void>(
    domainSettings.tryTitle,
    (close) => html`${steps}
      ${users.length > 0 ? html`<h3>${domainSettings.foundPeople}</h3>${people}` : nothing}
      ${groups.length > 0 ? html`<h3>${domainSettings.foundGroups}</h3>${found}` : nothing}
      <div class="buttons"><button type="button" @click=${() => close()}>${shared.close}</button></div>`,
  );
}
