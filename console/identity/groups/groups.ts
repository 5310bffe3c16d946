// The groups of the service.
import { html, nothing } from 'lit';
import { openForm } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { type ListQuery, listQuery, nextMarker, pager, searchBox } from '../../shared/list.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { go, goQuery } from '../frame.ts';
import { api, session } from '../session.ts';
import { domainNames, findDomains, type Group, type Links } from '../things.ts';
import { words } from '../words/index.ts';

const PAGE = 50;

class Groups extends Screen {
  #query: ListQuery = { search: undefined, sort: undefined, marker: undefined };
  #groups: readonly Group[] = [];
  #next: string | undefined;
  #domains: ReadonlyMap<string, string> = new Map();

  heading(): string {
    return words.organizations.groups;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    this.#query = listQuery(this.location);
    const { search, sort, marker } = this.#query;
    const [{ groups, links }, domains] = await Promise.all([
      api.get<{ groups: Group[]; links: Links }>('/v3/groups', {
        query: { ...(search ? { search } : { sort: sort ?? 'name' }), marker, limit: PAGE },
        signal,
      }),
      // Once, not for each letter of a search.
      this.#domains.size > 0 ? this.#domains : domainNames(signal),
    ]);
    this.#groups = groups;
    this.#next = nextMarker(links.next);
    this.#domains = domains;
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
      submitLabel: organizations.newGroup,
      fields: [
        { name: 'name', label: organizations.name, required: true, maxLength: 255 },
        { name: 'description', label: organizations.description, type: 'textarea' },
        ...(this.#domains.size > 1
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
    const { search, sort } = this.#query;
    return html`${searchBox(organizations.whatGroups, this.#query, goQuery)}
    ${table<Group>({
      caption: organizations.groups,
      rows: this.#groups,
      key: ({ id }) => id,
      sort: search ? undefined : (sort ?? 'name'),
      onSort: (by) => void goQuery({ sort: by, search: undefined, marker: undefined }),
      columns: [
        {
          name: organizations.name,
          isHeader: true,
          sort: 'name',
          cell: ({ id, name }) => html`<a href=${hrefOf(`/groups/${part(id)}`)}>${name}</a>`,
        },
        { name: organizations.description, cell: ({ description }) => description },
        ...(this.#domains.size > 1
          ? [{ name: organizations.domain, cell: ({ domain_id }: Group) => this.#domains.get(domain_id) ?? domain_id }]
          : []),
      ],
      empty: search ? organizations.nothingFound(search) : organizations.noGroups,
    })}
    ${pager(this.#query, this.#next, goQuery)}`;
  }
}

define('gh-groups', Groups);
