// One group: its members, and the roles that they get by it.
import { html, nothing } from 'lit';
import { confirmAct, copyable, openForm } from '../../shared/dialog.ts';
import { edit } from '../../shared/edit.ts';
import { define } from '../../shared/element.ts';
import { listQuery, nextMarker, pager } from '../../shared/list.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { currentTab, tabBar } from '../../shared/tabs.ts';
import { type MayWithRow, mayWithEach } from '../allowed.ts';
import { frame, go, goQuery } from '../frame.ts';
import { RoleList } from '../grants/role-list.ts';
import { impactOf } from '../impact.ts';
import { stateBadge } from '../people/shared.ts';
import { findPeople, type Group, type Links, type User } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';

const PAGE = 50;

class GroupScreen extends Screen {
  #group: Group | undefined;
  #etag: string | undefined;
  #may: (rule: string) => boolean = () => false;
  #members: readonly User[] = [];
  #next: string | undefined;
  #mayWith: MayWithRow<User> = () => false;
  #roles: RoleList | undefined;

  heading(): string {
    return this.#group?.name ?? words.organizations.group;
  }

  get #path(): string {
    return `/v3/groups/${part(this.location.params.id!)}`;
  }

  get #tabId(): string {
    return this.location.query.get('tab') ?? 'members';
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    const [{ body, etag }, may] = await Promise.all([
      api.read<{ group: Group }>(this.#path, { signal }),
      session.mayWith({ group_id: this.location.params.id! }, signal),
    ]);
    const { group } = body;
    if (this.#tabId === 'roles') await this.#loadRoles(group, may('identity:update_group'), signal);
    else if (this.#tabId === 'members') await this.#loadMembers(signal);
    this.#group = group;
    this.#etag = etag;
    this.#may = may;
  }

  async #loadRoles({ id, name }: Group, mayGive: boolean, signal: AbortSignal): Promise<void> {
    const { location } = this;
    const roles = new RoleList({ to: { kind: 'groups', id, name }, location, mayGive, reload: () => this.reload() });
    await roles.load(signal);
    this.#roles = roles;
  }

  async #loadMembers(signal: AbortSignal): Promise<void> {
    const { users, links } = await api.get<{ users: readonly User[]; links: Links }>(`${this.#path}/users`, {
      query: { limit: PAGE, marker: listQuery(this.location).marker },
      signal,
    });
    this.#mayWith = await mayWithEach(
      {
        rows: users,
        key: ({ domain_id }) => domain_id,
        ids: ({ id }) => ({ group_id: this.location.params.id!, user_id: id }),
      },
      signal,
    );
    this.#members = users;
    this.#next = nextMarker(links.next);
  }

  protected override headingActions(): Content {
    if (!this.#may('identity:delete_group')) return nothing;
    return html`<button type="button" class="second danger" @click=${() => void this.#delete()}>${words.organizations.delete}</button>`;
  }

  async #delete(): Promise<void> {
    const { organizations } = words;
    const { name } = this.#group!;
    const done = await confirmAct({
      title: organizations.deleteTitle(name),
      text: html`<p>${organizations.deleteGroupText}</p>${impactOf(this.#path)}`,
      action: organizations.delete,
      run: () => api.delete(this.#path, { ifMatch: this.#etag }),
    });
    if (!done) return;
    announce(organizations.deleted(name));
    frame.setDirty(false);
    await go('/groups');
  }

  async #add(): Promise<void> {
    const { organizations } = words;
    const done = await openForm({
      title: organizations.addMemberTitle(this.#group!.name),
      submitLabel: organizations.addMember,
      fields: [{ name: 'person', label: words.grants.person, type: 'pick', required: true, find: findPeople }],
      submit: async (values) => {
        await api.put(`${this.#path}/users/${part(values.text('person'))}`);
      },
    });
    if (!done) return;
    await this.reload();
    announce(organizations.memberAdded);
  }

  async #remove({ id, name }: User): Promise<void> {
    const { people, organizations } = words;
    const done = await confirmAct({
      title: people.removeFromGroup,
      text: people.removeFromGroupText(name, this.#group!.name),
      action: people.removeFromGroup,
      run: () => api.delete(`${this.#path}/users/${part(id)}`),
    });
    if (!done) return;
    await this.reload();
    announce(organizations.memberRemoved);
  }

  #memberList(): Content {
    const { people, organizations } = words;
    // The rule for new members needs a person as well. Whoever may change the group is asked for one; the service decides then.
    return html`${this.#may('identity:update_group') ? html`<div class="toolbar"><button type="button" @click=${() => void this.#add()}>${organizations.addMember}</button></div>` : nothing}
    ${table<User>({
      caption: organizations.members,
      rows: this.#members,
      key: ({ id }) => id,
      columns: [
        {
          name: people.name,
          isHeader: true,
          cell: ({ id, name }) => html`<a href=${hrefOf(`/people/${part(id)}`)}>${name}</a>`,
        },
        { name: people.email, cell: ({ email }) => email ?? '' },
        { name: people.state, cell: ({ enabled }) => stateBadge(enabled) },
      ],
      actions: (user) =>
        html`${this.#mayWith(user, 'identity:remove_user_from_group') ? html`<button type="button" class="second small danger" @click=${() => void this.#remove(user)}>${people.remove}<span class="hidden"> ${user.name}</span></button>` : nothing}`,
      empty: organizations.noMembers,
    })}
    ${pager(listQuery(this.location), this.#next, goQuery)}`;
  }

  #settings(): Content {
    const { organizations, people } = words;
    const group = this.#group!;
    const form = edit<Group>({
      version: { thing: group, etag: this.#etag },
      fields: ({ name, description }) => [
        { name: 'name', label: organizations.name, required: true, maxLength: 255, value: name },
        { name: 'description', label: organizations.description, type: 'textarea', value: description },
      ],
      read: async () => {
        const { body, etag } = await api.read<{ group: Group }>(this.#path);
        return { thing: body.group, etag };
      },
      save: async (values, ifMatch) => {
        const changed = { name: values.text('name'), description: values.text('description') };
        await api.patch(this.#path, { group: changed }, { ifMatch });
      },
      onDirty: () => frame.setDirty(true),
      onSaved: async () => {
        frame.setDirty(false);
        await this.reload();
        announce(people.saved);
      },
    });
    return html`<section class="card">${this.#may('identity:update_group') ? form : html`<p>${group.description}</p>`}
      <h2>${people.id}</h2>${copyable(group.id)}</section>`;
  }

  protected content(): Content {
    const { organizations } = words;
    const { id, description } = this.#group!;
    const href = (tab: string): string => hrefOf(`/groups/${part(id)}`, { tab });
    const tabs = [
      { id: 'members', label: organizations.members, href: href('members'), content: () => this.#memberList() },
      ...(session.may('identity:list_role_assignments')
        ? [{ id: 'roles', label: organizations.roles, href: href('roles'), content: () => this.#roles?.content() ?? nothing }]
        : []),
      { id: 'settings', label: organizations.settings, href: href('settings'), content: () => this.#settings() },
    ];
    const tab = currentTab(tabs, this.#tabId);
    return html`${description ? html`<p class="soft">${description}</p>` : nothing}
      ${tabBar(organizations.groups, tabs, tab)}${tab?.content()}`;
  }
}

define('gh-group', GroupScreen);
