// The domains: people, groups and organizations that are managed apart.
import { html, nothing } from 'lit';
import { openForm } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { hrefOf, part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { shared } from '../../shared/words/index.ts';
import { go } from '../frame.ts';
import { ListScreen } from '../list-screen.ts';
import { stateBadge } from '../people/shared.ts';
import type { Domain } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';

class Domains extends ListScreen<Domain> {
  protected readonly path = '/v3/domains';

  heading(): string {
    return words.organizations.domains;
  }

  protected override headingActions(): Content {
    if (!session.may('identity:create_domain')) return nothing;
    return html`<button type="button" @click=${() => void this.#create()}>${words.organizations.newDomain}</button>`;
  }

  async #create(): Promise<void> {
    const { organizations } = words;
    let created: Domain | undefined;
    const done = await openForm({
      title: organizations.newDomain,
      text: organizations.newDomainText,
      submitLabel: shared.create,
      fields: [
        { name: 'name', label: organizations.name, required: true, maxLength: 64 },
        { name: 'description', label: organizations.description, type: 'textarea' },
      ],
      submit: async (values) => {
        const domain = { name: values.text('name'), description: values.text('description') };
        created = (await api.post<{ domain: Domain }>('/v3/domains', { domain })).domain;
      },
    });
    if (!done || !created) return;
    announce(organizations.created(created.name));
    await go(`/domains/${part(created.id)}`);
  }

  protected content(): Content {
    const { organizations, people } = words;
    const texts = {
      caption: organizations.domains,
      what: organizations.whatDomains,
      empty: organizations.noDomains,
      nothingFound: organizations.nothingFound,
    };
    return this.list(texts, [
      {
        name: organizations.name,
        isHeader: true,
        sort: 'name',
        cell: ({ id, name }) => html`<a href=${hrefOf(`/domains/${part(id)}`)}>${name}</a>`,
      },
      { name: organizations.description, cell: ({ description }) => description },
      { name: people.state, cell: ({ enabled }) => stateBadge(enabled) },
    ]);
  }
}

define('gh-domains', Domains);
