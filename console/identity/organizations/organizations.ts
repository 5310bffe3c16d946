// The organizations (projects), as a list or as a tree.
import { html, nothing } from 'lit';
import { define } from '../../shared/element.ts';
import { type ListQuery, listQuery, nextMarker, pager, searchBox } from '../../shared/list.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { table } from '../../shared/table.ts';
import { currentTab, tabBar } from '../../shared/tabs.ts';
import { goQuery } from '../frame.ts';
import { stateBadge } from '../people/parts.ts';
import { api, session } from '../session.ts';
import { domainNames, type Links, type Organization } from '../things.ts';
import { words } from '../words/index.ts';
import { createOrganization } from './create.ts';
import { tree } from './tree.ts';

const PAGE = 50;

class Organizations extends Screen {
  #query: ListQuery = { search: undefined, sort: undefined, marker: undefined };
  #organizations: readonly Organization[] = [];
  #next: string | undefined;
  #domains: ReadonlyMap<string, string> = new Map();

  heading(): string {
    return words.organizations.title;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    this.#query = listQuery(this.location);
    const { search, sort, marker } = this.#query;
    // Once, not for each letter of a search.
    if (this.#domains.size === 0) this.#domains = await domainNames(signal);
    if (this.location.query.get('tab') === 'tree' && this.#domains.size > 0) return;
    const { projects, links } = await api.get<{ projects: Organization[]; links: Links }>('/v3/projects', {
      query: { ...(search ? { search } : { sort: sort ?? 'name' }), marker, limit: PAGE },
      signal,
    });
    this.#organizations = projects;
    this.#next = nextMarker(links.next);
  }

  protected override headingActions(): Content {
    if (!session.may('identity:create_project')) return nothing;
    return html`<button type="button" @click=${() => void createOrganization(undefined, this.#domains.size > 1)}>${words.organizations.newOrganization}</button>`;
  }

  #list(): Content {
    const { organizations, people } = words;
    const { search, sort } = this.#query;
    const domainColumn = {
      name: organizations.domain,
      cell: ({ domain_id: id }: Organization) => this.#domains.get(id ?? '') ?? id ?? '',
    };
    return html`${searchBox(organizations.what, this.#query, goQuery)}
    ${table<Organization>({
      caption: organizations.title,
      rows: this.#organizations,
      key: ({ id }) => id,
      sort: search ? undefined : (sort ?? 'name'),
      onSort: (by) => void goQuery({ sort: by, search: undefined, marker: undefined }),
      columns: [
        {
          name: organizations.name,
          isHeader: true,
          sort: 'name',
          cell: ({ id, name }) => html`<a href=${hrefOf(`/organizations/${part(id)}`)}>${name}</a>`,
        },
        { name: organizations.description, cell: ({ description }) => description },
        ...(this.#domains.size > 1 ? [domainColumn] : []),
        { name: people.state, cell: ({ enabled }) => stateBadge(enabled) },
      ],
      empty: search ? organizations.nothingFound(search) : organizations.noOrganizations,
    })}
    ${pager(this.#query, this.#next, goQuery)}`;
  }

  #tree(): Content {
    return [...this.#domains].map(
      ([id, name]) => html`<section class="card">
        <h2><a href=${hrefOf(`/domains/${part(id)}`)}>${words.grants.domainNamed} ${name}</a></h2>
        ${tree(id)}
      </section>`,
    );
  }

  protected content(): Content {
    const { organizations } = words;
    const tabs = [
      { id: 'list', label: organizations.list, href: hrefOf('/organizations'), content: () => this.#list() },
      ...(this.#domains.size > 0
        ? [
            {
              id: 'tree',
              label: organizations.tree,
              href: hrefOf('/organizations', { tab: 'tree' }),
              content: () => this.#tree(),
            },
          ]
        : []),
    ];
    const tab = currentTab(tabs, this.location.query.get('tab'));
    return html`${tabBar(organizations.title, tabs, tab)}${tab?.content()}`;
  }
}

define('gh-organizations', Organizations);
