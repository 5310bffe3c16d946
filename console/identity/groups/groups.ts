// The groups of the service.
import { html, nothing } from 'lit';
import { openForm } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { hrefOf, part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { shared } from '../../shared/words/index.ts';
import { go } from '../frame.ts';
import { ListScreen } from '../list-screen.ts';
import { findDomains, type Group } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';

class Groups extends ListScreen<Group> {
  protected readonly path = '/v3/groups';

  heading(): string {
    return words.organizations.groups;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    await Promise.all([this.loadRows(signal), this.loadDomains(signal)]);
  }

  protected override headingActions(): Content {
    if (!session.may('identity:create_group')) return nothing;
    return html`<button type="button" @click=${() => void this.#create()}>${words.organizations.newGroup}</button>`;
  }

  async #create(): Promise<void> {
    const { organizations } = words;
    let created: Group | undefined;
    const done = await openForm({
      title: organizations.newGroup,
      submitLabel: shared.create,
      fields: [
        { name: 'name', label: organizations.name, required: true, maxLength: 255 },
        { name: 'description', label: organizations.description, type: 'textarea' },
        ...(this.domains.size > 1
          ? [{ name: 'domain', label: organizations.domain, type: 'pick' as const, find: findDomains }]
          : []),
      ],
      submit: async (values) => {
        const group = {
          name: values.text('name'),
          description: values.text('description'),
          domain_id: values.optional('domain'),
        };
        created = (await api.post<{ group: Group }>('/v3/groups', { group })).group;
      },
    });
    if (!done || !created) return;
    announce(organizations.created(created.name));
    await go(`/groups/${part(created.id)}`);
  }

  protected content(): Content {
    const { organizations } = words;
    const texts = {
      caption: organizations.groups,
      what: organizations.whatGroups,
      empty: organizations.noGroups,
      nothingFound: organizations.nothingFound,
    };
    return this.list(texts, [
      {
        name: organizations.name,
        isHeader: true,
        sort: 'name',
        cell: ({ id, name }) => html`<a href=${hrefOf(`/groups/${part(id)}`)}>${name}</a>`,
      },
      { name: organizations.description, cell: ({ description }) => description },
      ...this.domainColumn<Group>(organizations.domain),
    ]);
  }
}

define('gh-groups', Groups);
