// What the screens of an organization and of a domain have in common: members, roles, settings.
import { html, nothing } from 'lit';
import { confirmAct, copyable } from '../../shared/dialog.ts';
import { edit } from '../../shared/edit.ts';
import type { FormField } from '../../shared/form.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { currentTab, type Tab, tabBar } from '../../shared/tabs.ts';
import { frame, go } from '../frame.ts';
import type { Place } from '../grants/give.ts';
import { RoleList } from '../grants/role-list.ts';
import { impactOf } from '../impact.ts';
import { stateBadge } from '../people/shared.ts';
import { type Domain, namesOf } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { MemberList } from './members.ts';

export abstract class PlaceScreen<Thing extends Domain & { readonly domain_id?: string | null }> extends Screen {
  protected abstract readonly kind: 'projects' | 'domains';
  protected abstract readonly envelope: 'project' | 'domain';
  /** The address of the list. */
  protected abstract readonly list: string;
  protected abstract get place(): Place;
  protected domainName: string | undefined;
  #thing: Thing | undefined;
  #etag: string | undefined;
  #may: (rule: string) => boolean = () => false;
  #shown: RoleList | MemberList | undefined;

  protected get thing(): Thing {
    return this.#thing!;
  }

  protected may(rule: string): boolean {
    return this.#may(rule);
  }

  /** Whoever may change an organization may give the usual roles in it. */
  protected get mayGive(): boolean {
    return this.may('identity:update_project');
  }

  protected get path(): string {
    return `/v3/${this.kind}/${part(this.location.params.id!)}`;
  }

  heading(): string {
    return this.#thing?.name ?? words.organizations[this.envelope];
  }

  protected async loadMore(_signal: AbortSignal): Promise<void> {}

  protected above(): Content {
    return nothing;
  }

  protected moreTabs(_href: (tab: string) => string): readonly Tab[] {
    return [];
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    const [{ body, etag }, may] = await Promise.all([
      api.read<Record<string, Thing>>(this.path, { signal }),
      session.mayWith({ [`${this.envelope}_id`]: this.location.params.id! }, signal),
    ]);
    const thing = body[this.envelope]!;
    // Which tabs there are depends on them.
    this.#thing = thing;
    this.#etag = etag;
    this.#may = may;
    const [names] = await Promise.all([
      namesOf('domains', thing.domain_id ? [thing.domain_id] : [], signal),
      this.loadMore(signal),
      this.#loadTab(signal),
    ]);
    this.domainName = names.get(thing.domain_id ?? '');
  }

  async #loadTab(signal: AbortSignal): Promise<void> {
    const { location, place, mayGive, tab } = this;
    this.#shown = undefined;
    if (tab === 'roles') this.#shown = new RoleList({ at: place, location, mayGive, reload: () => this.reload() });
    else if (tab === 'members') this.#shown = new MemberList(place, location);
    await this.#shown?.load(signal);
  }

  protected override headingActions(): Content {
    const { people } = words;
    const { enabled } = this.thing;
    const toggle = html`<button type="button" class="second" @click=${() => void this.#setEnabled(!enabled)}>${enabled ? people.disable : people.enable}</button>`;
    const remove = html`<button type="button" class="second danger" @click=${() => void this.#delete()}>${people.delete}</button>`;
    return html`${this.may(`identity:update_${this.envelope}`) ? toggle : nothing}
    ${this.may(`identity:delete_${this.envelope}`) ? remove : nothing}`;
  }

  async #setEnabled(enabled: boolean): Promise<void> {
    const { people, organizations } = words;
    const { name } = this.thing;
    const done = await confirmAct({
      title: enabled ? people.enableTitle(name) : people.disableTitle(name),
      text: enabled ? organizations.enableText : organizations.disableTexts[this.envelope],
      action: enabled ? people.enable : people.disable,
      danger: !enabled,
      run: async () => {
        await api.patch(this.path, { [this.envelope]: { enabled } }, { ifMatch: this.#etag });
      },
    });
    await this.reload();
    if (done) announce(people.saved);
  }

  async #delete(): Promise<void> {
    const { people, organizations } = words;
    const { name } = this.thing;
    const done = await confirmAct({
      title: organizations.deleteTitle(name),
      text: html`<p>${organizations.deleteTexts[this.envelope]}</p>${impactOf(this.path)}`,
      action: people.delete,
      run: () => api.delete(this.path, { ifMatch: this.#etag }),
    });
    if (!done) return;
    announce(organizations.deleted(name));
    frame.setDirty(false);
    await go(this.list);
  }

  #fields({ name, description, tags = [] }: Thing): readonly FormField[] {
    const { organizations } = words;
    return [
      { name: 'name', label: organizations.name, required: true, maxLength: 64, value: name },
      { name: 'description', label: organizations.description, type: 'textarea', value: description },
      {
        name: 'tags',
        label: organizations.tags,
        hint: organizations.tagsHint,
        value: tags.join(', '),
        check: (text) => (text.includes('/') ? organizations.badTag : undefined),
      },
    ];
  }

  #settings(): Content {
    const { people } = words;
    const form = edit<Thing>({
      version: { thing: this.thing, etag: this.#etag },
      fields: (thing) => this.#fields(thing),
      read: async () => {
        const { body, etag } = await api.read<Record<string, Thing>>(this.path);
        return { thing: body[this.envelope]!, etag };
      },
      save: async (values, ifMatch) => {
        const tags = new Set(
          values
            .text('tags')
            .split(',')
            .map((tag) => tag.trim())
            .filter(Boolean),
        );
        const changed = { name: values.text('name'), description: values.text('description'), tags: [...tags] };
        await api.patch(this.path, { [this.envelope]: changed }, { ifMatch });
      },
      onDirty: () => frame.setDirty(true),
      onSaved: async () => {
        frame.setDirty(false);
        await this.reload();
        announce(people.saved);
      },
    });
    return html`<section class="card">
      ${this.may(`identity:update_${this.envelope}`) ? form : html`<p>${this.thing.description}</p>`}
      <h2>${people.id}</h2>${copyable(this.thing.id)}
    </section>`;
  }

  /** The one that is shown: the first, if the address names none that is offered. */
  get #current(): Tab | undefined {
    return currentTab(this.#tabs(), this.location.query.get('tab'));
  }

  protected get tab(): string | undefined {
    return this.#current?.id;
  }

  protected override guidePage(): string {
    return (this.#thing && this.#current?.guide) ?? this.guide;
  }

  #tabs(): readonly Tab[] {
    const { organizations } = words;
    const href = (tab: string): string => hrefOf(`${this.list}/${part(this.thing.id)}`, { tab });
    const list = (): Content => this.#shown?.content() ?? nothing;
    const roles: readonly Tab[] = [
      { id: 'members', label: organizations.members, href: href('members'), content: list },
      { id: 'roles', label: organizations.roles, href: href('roles'), content: list },
    ];
    return [
      ...(session.may('identity:list_role_assignments') ? roles : []),
      ...this.moreTabs(href),
      { id: 'settings', label: organizations.settings, href: href('settings'), content: () => this.#settings() },
    ];
  }

  protected content(): Content {
    const tabs = this.#tabs();
    const tab = currentTab(tabs, this.location.query.get('tab'));
    return html`${this.above()}
      <p>${this.thing.enabled ? nothing : stateBadge(false)} <span class="soft">${this.thing.description}</span>
        ${(this.thing.tags ?? []).map((tag) => html` <span class="badge">${tag}</span>`)}</p>
      ${tabBar(words.organizations.title, tabs, tab)}${tab?.content()}`;
  }
}
