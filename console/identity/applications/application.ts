// One application: its registration, roles and permissions, who holds roles, and how to use it.
import { html, nothing } from 'lit';
import { confirmAct, copyable, openForm, showSecret } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { time } from '../../shared/time.ts';
import {
  type ApplicationCredentials,
  applicationCredentials,
  readApplicationCredentials,
} from '../credentials/application-credentials.ts';
import { frame, go } from '../frame.ts';
import { impactOf } from '../impact.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { type AccessContent, access, readAccess } from './access.ts';
import { type HoldersContent, holders, readHolders } from './holders.ts';
import { logo } from './logo.ts';
import { type MatrixContent, readMatrix } from './matrix.ts';
import { registrationForm } from './registration.ts';
import { snippets } from './snippets.ts';
import './try.ts';
import { type ConsumerWithSecret, usesSecret } from './types.ts';

const TABS = ['settings', 'roles', 'people', 'access', 'credentials', 'start', 'try'] as const;
type Tab = (typeof TABS)[number];
const TAB_RULES: Readonly<Record<Tab, readonly string[]>> = {
  settings: [],
  roles: ['list_roles', 'list_permissions'],
  people: ['list_user_assignments', 'list_organization_assignments'],
  access: ['list_consumer_grants'],
  credentials: ['list_issued_credentials'],
  start: [],
  try: ['try_consumer_sign_in'],
};

/** How long the old secret may still work, in seconds. */
const GRACE = [0, 86_400, 604_800] as const;

class Application extends Screen {
  #consumer: ConsumerWithSecret | undefined;
  #etag: string | undefined;
  #matrix: MatrixContent | undefined;
  #holders: HoldersContent | undefined;
  #may: (rule: string) => boolean = () => false;
  #access: AccessContent | undefined;
  #credentials: ApplicationCredentials | undefined;

  get #id(): string {
    return this.location.params.id!;
  }

  get #path(): string {
    return `/v3/OS-OAUTH2/consumers/${part(this.#id)}`;
  }

  get #tab(): Tab {
    const tab = this.location.query.get('tab');
    return this.#tabs.find((one) => one === tab) ?? 'settings';
  }

  /** Whoever manages an application need not manage its roles. Nobody signs in to one that has no address to return to. */
  get #tabs(): readonly Tab[] {
    const canBeTried = (this.#consumer?.redirect_uris.length ?? 0) > 0;
    return TABS.filter((tab) => (tab !== 'try' || canBeTried) && TAB_RULES[tab].every((rule) => this.#may(rule)));
  }

  heading(): string {
    return this.#consumer?.name ?? words.applications.application;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    const [{ body, etag }, may] = await Promise.all([
      api.read<{ consumer: ConsumerWithSecret }>(this.#path, { signal }),
      session.mayWith({ application_id: this.#id }, signal),
    ]);
    this.#consumer = body.consumer;
    this.#etag = etag;
    this.#may = may;
    if (this.#tab === 'roles') this.#matrix = await readMatrix(this.#id, signal);
    if (this.#tab === 'people') this.#holders = await readHolders(this.#id, this.location, may, signal);
    if (this.#tab === 'credentials') this.#credentials = await readApplicationCredentials(this.#id, this.location, may, signal);
    if (this.#tab === 'access') this.#access = await readAccess(this.#id, this.location, signal);
  }

  protected override headingActions(): Content {
    const { applications } = words;
    const maySecret = this.#consumer !== undefined && usesSecret(this.#consumer) && this.#may('rotate_consumer_secret');
    return html`${!maySecret ? nothing : html`<button type="button" class="second" @click=${() => void this.#newSecret()}>${applications.newSecret}</button>`}
      ${this.#may('delete_consumer') ? html`<button type="button" class="second danger" @click=${() => void this.#remove()}>${applications.remove}</button>` : nothing}`;
  }

  protected content(): Content {
    const consumer = this.#consumer!;
    const tab = this.#tab;
    return html`<nav aria-label=${consumer.name}><ul class="tabs">${this.#tabs.map(
      (one) =>
        html`<li><a href=${hrefOf(`/applications/${part(this.#id)}`, one === 'settings' ? {} : { tab: one })} aria-current=${one === tab ? 'page' : 'false'}>${words.applications.tabs[one]}</a></li>`,
    )}</ul></nav>
    ${tab === 'settings' ? this.#settings(consumer) : nothing}
    ${tab === 'roles' && this.#matrix ? html`<gh-matrix .application=${consumer.id} .content=${this.#matrix} .mayEdit=${this.#may('create_role')} .onChange=${() => void this.reload()}></gh-matrix>` : nothing}
    ${tab === 'people' && this.#holders ? holders(consumer.id, this.#holders, () => void this.reload()) : nothing}
    ${tab === 'access' && this.#access ? access(consumer.id, this.#access, () => this.reload()) : nothing}
    ${tab === 'credentials' && this.#credentials ? applicationCredentials(consumer, this.#credentials, () => this.reload()) : nothing}
    ${tab === 'start' ? snippets(consumer) : nothing}
    ${tab === 'try' ? html`<gh-try-sign-in .consumer=${consumer}></gh-try-sign-in>` : nothing}`;
  }

  #settings(consumer: ConsumerWithSecret): Content {
    const { applications } = words;
    return html`<div class="cards"><section class="card">
        <h2>${applications.clientId}</h2>
        ${copyable(consumer.id)}
        ${this.#previousSecret(consumer)}
      </section>
      ${logo(consumer, this.#path, this.#may('update_consumer'), () => this.reload())}</div>
      ${registrationForm({
        version: { thing: consumer, etag: this.#etag },
        may: (rule) => this.#may(rule),
        reload: () => this.reload(),
      })}`;
  }

  #previousSecret(consumer: ConsumerWithSecret): Content {
    const { previous_secret_expires_at: until } = consumer;
    const { applications } = words;
    if (!until || !usesSecret(consumer)) return nothing;
    return html`<div class="warn between"><span>${applications.previousSecret} ${time(until)}</span>
      <button type="button" class="second small" @click=${() => void this.#endPrevious()}>${applications.endPrevious}</button></div>`;
  }

  async #endPrevious(): Promise<void> {
    const { applications } = words;
    const ended = await confirmAct({
      title: applications.endPrevious,
      text: applications.endPreviousText,
      action: applications.endPrevious,
      run: () => api.delete(`${this.#path}/secret/previous`),
    });
    if (ended) await this.reload();
  }

  async #newSecret(): Promise<void> {
    const { applications } = words;
    let secret = '';
    const agreed = await openForm({
      title: applications.newSecret,
      text: applications.newSecretText,
      fields: [
        {
          name: 'grace',
          label: applications.grace,
          type: 'select',
          required: true,
          value: GRACE[1]!,
          options: GRACE.map((seconds) => ({ value: String(seconds), label: applications.graceTimes[seconds] })),
        },
      ],
      submitLabel: applications.makeSecret,
      submit: async (values) => {
        const body = { grace_seconds: Number(values.text('grace')) };
        secret = (await api.post<{ consumer: ConsumerWithSecret }>(`${this.#path}/secret`, body)).consumer.secret;
      },
    });
    if (!agreed) return;
    await showSecret(applications.secret, secret, applications.secretOnce);
    await this.reload();
  }

  async #remove(): Promise<void> {
    const { applications } = words;
    const { name } = this.#consumer!;
    const removed = await confirmAct({
      title: applications.removeTitle(name),
      text: html`<p>${applications.removeText}</p>${impactOf(this.#path)}`,
      action: applications.remove,
      run: () => api.delete(this.#path, { ifMatch: this.#etag }),
    });
    if (!removed) return;
    frame.setDirty(false);
    announce(applications.removed(name));
    await go('/applications');
  }
}

define('gh-application', Application);
