// One person: who they are, how they sign in, where they are signed in, what they belong to and what happened.
import { html, nothing } from 'lit';
import { confirmAct } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { currentTab, type Tab, tabBar } from '../../shared/tabs.ts';
import { frame, go } from '../frame.ts';
import { impactOf } from '../impact.ts';
import type { User } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { lockBadge, readLock } from './lock.ts';
import { PersonAccess } from './person-access.ts';
import { PersonCredentials } from './person-credentials.ts';
import { PersonGroups } from './person-groups.ts';
import { PersonHistory } from './person-history.ts';
import { PersonOverview } from './person-overview.ts';
import { PersonRoles } from './person-roles.ts';
import { PersonSessions } from './person-sessions.ts';
import { PersonSignIn } from './person-sign-in.ts';
import type { PersonContext, PersonTab } from './person-tab.ts';
import { stateBadge } from './shared.ts';

interface TabEntry {
  readonly id: keyof typeof words.people.tabs;
  /** Shown when one of them lets the caller pass. */
  readonly rules: readonly string[];
  create(context: PersonContext): PersonTab;
}

const TABS: readonly TabEntry[] = [
  { id: 'overview', rules: ['identity:get_user'], create: (context) => new PersonOverview(context) },
  {
    id: 'sign-in',
    rules: ['identity:update_user', 'identity:get_user_lock', 'is_two_factor_auth_enabled', 'list_passkeys', 'list_devices'],
    create: (context) => new PersonSignIn(context),
  },
  {
    id: 'sessions',
    rules: ['identity:list_user_sessions', 'access_tokens'],
    create: (context) => new PersonSessions(context),
  },
  { id: 'access', rules: ['identity:list_delegated_access'], create: (context) => new PersonAccess(context) },
  { id: 'groups', rules: ['identity:list_groups_for_user'], create: (context) => new PersonGroups(context) },
  {
    id: 'roles',
    rules: ['identity:list_role_assignments', 'list_user_assignments'],
    create: (context) => new PersonRoles(context),
  },
  { id: 'credentials', rules: ['list_issued_credentials'], create: (context) => new PersonCredentials(context) },
  { id: 'history', rules: ['identity:list_audit_events'], create: (context) => new PersonHistory(context) },
];

/** What ends when the person cannot sign in any more. */
const ENDED = ['sessions', 'tokens'];

class PersonScreen extends Screen {
  #context: PersonContext | undefined;
  #tab: PersonTab | undefined;
  #tabId = '';

  heading(): string {
    return this.#context?.user.name ?? words.people.person;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    const path = `/v3/users/${part(this.location.params.id!)}`;
    const [{ body, etag }, may] = await Promise.all([
      api.read<{ user: User }>(path, { signal }),
      session.mayWith({ user_id: this.location.params.id! }, signal),
    ]);
    const context: PersonContext = {
      user: body.user,
      etag,
      lock: may('identity:get_user_lock') ? await readLock(path, signal) : undefined,
      path,
      location: this.location,
      may,
      reload: () => this.reload(),
    };
    const entry = this.#entries(context).find(({ id }) => id === this.location.query.get('tab')) ?? this.#entries(context)[0];
    const tab = entry?.create(context);
    await tab?.load(signal);
    if (signal.aborted) return;
    this.#context = context;
    this.#tab = tab;
    this.#tabId = entry?.id ?? '';
  }

  #entries({ may }: PersonContext): readonly TabEntry[] {
    return TABS.filter(({ rules }) => rules.some((rule) => may(rule)));
  }

  protected override headingActions(): Content {
    const { people } = words;
    const { user, may } = this.#context!;
    const why = html`<a class="button second" href=${hrefOf('/why', { user_id: user.id })}>${people.why}</a>`;
    return html`${may('identity:list_role_assignments') ? why : nothing}
    ${
      may('identity:update_user')
        ? html`<button type="button" class="second" @click=${() => void this.#setEnabled(!user.enabled)}>${user.enabled ? people.disable : people.enable}</button>`
        : nothing
    }
    ${may('identity:delete_user') ? html`<button type="button" class="second danger" @click=${() => void this.#delete()}>${people.delete}</button>` : nothing}`;
  }

  async #setEnabled(enabled: boolean): Promise<void> {
    const { people } = words;
    const { user, path, etag } = this.#context!;
    const done = await confirmAct({
      title: enabled ? people.enableTitle(user.name) : people.disableTitle(user.name),
      text: enabled ? people.enableText : html`<p>${people.disableText}</p>${impactOf(path, ENDED)}`,
      action: enabled ? people.enable : people.disable,
      danger: !enabled,
      run: async () => {
        await api.patch(path, { user: { enabled } }, { ifMatch: etag });
      },
    });
    await this.reload();
    if (done) announce(enabled ? people.enabledNow(user.name) : people.disabledNow(user.name));
  }

  async #delete(): Promise<void> {
    const { people } = words;
    const { user, path, etag } = this.#context!;
    const done = await confirmAct({
      title: people.deleteTitle(user.name),
      text: html`<p>${people.deleteText}</p>${impactOf(path)}`,
      action: people.delete,
      run: () => api.delete(path, { ifMatch: etag }),
    });
    if (!done) return;
    announce(people.deleted(user.name));
    frame.setDirty(false);
    await go('/people');
  }

  protected content(): Content {
    const { people } = words;
    const context = this.#context!;
    const { user, lock } = context;
    const tabs: Tab[] = this.#entries(context).map(({ id }) => ({
      id,
      label: people.tabs[id],
      href: hrefOf(`/people/${part(user.id)}`, { tab: id }),
      content: () => this.#tab?.content() ?? nothing,
    }));
    return html`<p>${stateBadge(user.enabled)} ${user.email ? html`<span class="soft">${user.email}</span>` : nothing} ${lockBadge(lock)}</p>
      ${tabBar(people.title, tabs, currentTab(tabs, this.#tabId))}
      ${this.#tab?.content() ?? nothing}`;
  }
}

define('gh-person', PersonScreen);
