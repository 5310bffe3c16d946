// The groups of a person.
import { html, nothing } from 'lit';
import { confirmAct, openForm } from '../../shared/dialog.ts';
import { part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { type MayWithRow, mayWithEach } from '../allowed.ts';
import { findGroups, type Group, thingLink } from '../resources.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { PersonTab } from './person-tab.ts';

export class PersonGroups extends PersonTab {
  #groups: readonly Group[] = [];
  #mayWith: MayWithRow<Group> = () => false;

  async load(signal: AbortSignal): Promise<void> {
    const { path, user } = this.context;
    const { groups } = await api.get<{ groups: readonly Group[] }>(`${path}/groups`, { signal });
    this.#mayWith = await mayWithEach(
      { rows: groups, key: ({ domain_id }) => domain_id, ids: ({ id }) => ({ group_id: id, user_id: user.id }) },
      signal,
    );
    this.#groups = groups;
  }

  async #add(): Promise<void> {
    const { people } = words;
    const { user } = this.context;
    const isDone = await openForm({
      title: people.addToGroup,
      submitLabel: people.addToGroup,
      fields: [{ name: 'group', label: people.group, type: 'pick', required: true, find: findGroups }],
      submit: async (values) => {
        await api.put(`/v3/groups/${part(values.text('group'))}/users/${part(user.id)}`);
      },
    });
    if (!isDone) return;
    await this.context.reload();
    announce(people.addedToGroup);
  }

  async #remove({ id, name }: Group): Promise<void> {
    const { people } = words;
    const { user } = this.context;
    const isDone = await confirmAct({
      title: people.removeFromGroup,
      text: people.removeFromGroupText(user.name, name),
      action: people.removeFromGroup,
      run: () => api.delete(`/v3/groups/${part(id)}/users/${part(user.id)}`),
    });
    if (!isDone) return;
    await this.context.reload();
    announce(people.removedFromGroup);
  }

  content(): Content {
    const { people } = words;
    // The rule for new members needs a group as well. Whoever may change the person is asked for one; the service decides then.
    const mayChange = this.context.may('identity:update_user');
    return html`${mayChange ? html`<div class="toolbar"><button type="button" @click=${() => void this.#add()}>${people.addToGroup}</button></div>` : nothing}
    ${table<Group>({
      caption: people.tabs.groups,
      rows: this.#groups,
      key: ({ id }) => id,
      columns: [
        {
          name: people.group,
          isHeader: true,
          // People see the names of their own groups, but not the groups.
          cell: (group) =>
            this.#mayWith(group, 'identity:get_group') ? thingLink('groups', group.id, group.name) : html`${group.name}`,
        },
        { name: people.description, cell: ({ description }) => description },
      ],
      actions: (group) =>
        this.#mayWith(group, 'identity:remove_user_from_group')
          ? html`<button type="button" class="second small danger" @click=${() => void this.#remove(group)}>${people.remove}<span class="hidden"> ${group.name}</span></button>`
          : nothing,
      empty: people.noGroups,
    })}`;
  }
}
