// The domains: people, groups and organizations that are managed apart.
import { html, nothing } from 'lit';
import { openForm } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { type ListQuery, listQuery, nextMarker, pager, searchBox } from '../../shared/list.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { go, goQuery } from '../frame.ts';
import { stateBadge } from '../people/parts.ts';
import { api, session } from '../session.ts';
import type { Domain, Links } from '../things.ts';
import { words } from '../words/index.ts';

const PAGE = 50;

class Domains extends Screen {
  #query: ListQuery = { search: undefined, sort: undefined, marker: undefined };
  #domains: readonly Domain[] = [];
  #next: string | undefined;

  heading(): string {
    return words.organizations.domains;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    this.#query = listQuery(this.location);
    const { search, sort, marker } = this.#query;
    const { domains, links } = await api.get<{ domains: Domain[]; links: Links }>('/v3/domains', {
      query: { ...(search ? { search } : { sort: sort ?? 'name' }), marker, limit: PAGE },
      signal,
    });
    this.#domains = domains;
    this.#next = nextMarker(links.next);
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
      submitLabel: organizations.newDomain,
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
    const { search, sort } = this.#query;
    return html`${searchBox(organizations.whatDomains, this.#query, goQuery)}
    ${table<Domain>({
      caption: organizations.domains,
      rows: this.#domains,
      key: ({ id }) => id,
      sort: search ? undefined : (sort ?? 'name'),
      onSort: (by) => void goQuery({ sort: by, search: undefined, marker: undefined }),
      columns: [
        {
          name: organizations.name,
          isHeader: true,
          sort: 'name',
          cell: ({ id, name }) => html`<a href=${hrefOf(`/domains/${part(id)}`)}>${name}</a>`,
        },
        { name: organizations.description, cell: ({ description }) => description },
        { name: people.state, cell: ({ enabled }) => stateBadge(enabled) },
      ],
      empty: search ? organizations.nothingFound(search) : organizations.noDomains,
    })}
    ${pager(this.#query, this.#next, goQuery)}`;
  }
}

define('gh-domains', Domains);
