// The people of the service: found by name, e-mail or id.
import { html } from 'lit';
import { define } from '../../shared/element.ts';
import { type ListQuery, listQuery, nextMarker, pager, searchBox } from '../../shared/list.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { table } from '../../shared/table.ts';
import { goQuery } from '../frame.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';

interface User {
  readonly id: string;
  readonly name: string;
  readonly email?: string;
  readonly enabled: boolean;
}

const PAGE = 50;

class People extends Screen {
  #query: ListQuery = { search: undefined, sort: undefined, marker: undefined };
  #users: readonly User[] = [];
  #next: string | undefined;

  heading(): string {
    return words.people.title;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    this.#query = listQuery(this.location);
    const { users, links } = await api.get<{ users: User[]; links: { next: string | null } }>('/v3/users', {
      query: { ...this.#query, limit: PAGE },
      signal,
    });
    this.#users = users;
    this.#next = nextMarker(links.next);
  }

  protected content(): Content {
    const { people } = words;
    return html`${searchBox(people.what, this.#query, goQuery)}
    ${table<User>({
      caption: people.title,
      rows: this.#users,
      key: ({ id }) => id,
      sort: this.#query.sort ?? 'name',
      onSort: (sort) => void goQuery({ sort, marker: undefined }),
      columns: [
        {
          name: people.name,
          isHeader: true,
          sort: 'name',
          cell: ({ id, name }) => html`<a href=${hrefOf(`/people/${part(id)}`)}>${name}</a>`,
        },
        { name: people.email, cell: ({ email }) => email ?? '' },
        { name: people.state, cell: ({ enabled }) => (enabled ? people.enabled : people.disabled) },
      ],
      empty: people.empty,
    })}
    ${pager(this.#query, this.#next, goQuery)}`;
  }
}

define('gh-people', People);
