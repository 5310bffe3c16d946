// The applications that the person may see.
import { html, nothing } from 'lit';
import { define } from '../../shared/element.ts';
import { type ListQuery, listQuery, nextMarker, pager, searchBox } from '../../shared/list.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { table } from '../../shared/table.ts';
import { goQuery } from '../frame.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { smallLogo } from './logo.ts';
import type { Consumer, ListLinks } from './types.ts';

const PAGE = 50;

class Applications extends Screen {
  #query: ListQuery = { search: undefined, sort: undefined, marker: undefined };
  #consumers: readonly Consumer[] = [];
  #next: string | undefined;

  heading(): string {
    return words.applications.title;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    this.#query = listQuery(this.location);
    const { search, sort, marker } = this.#query;
    // What was found has an order of its own.
    const query = { ...(search ? { search } : { sort: sort ?? 'name' }), marker, limit: PAGE };
    const { consumers, links } = await api.get<{ consumers: Consumer[]; links: ListLinks }>('/v3/OS-OAUTH2/consumers', {
      query,
      signal,
    });
    this.#consumers = consumers;
    this.#next = nextMarker(links.next);
  }

  protected override headingActions(): Content {
    return session.may('create_consumer')
      ? html`<a class="button" href=${hrefOf('/applications/new')}>${words.applications.create}</a>`
      : nothing;
  }

  protected content(): Content {
    const { applications } = words;
    return html`${searchBox(applications.what, this.#query, goQuery)}
    ${table<Consumer>({
      caption: applications.title,
      rows: this.#consumers,
      key: ({ id }) => id,
      sort: this.#query.search ? undefined : (this.#query.sort ?? 'name'),
      onSort: (sort) => void goQuery({ sort, search: undefined, marker: undefined }),
      columns: [
        {
          name: applications.name,
          isHeader: true,
          sort: 'name',
          cell: (consumer) =>
            html`${smallLogo(consumer)}<a href=${hrefOf(`/applications/${part(consumer.id)}`)}>${consumer.name}</a>`,
        },
        { name: applications.description, cell: ({ description }) => description ?? '' },
        {
          name: applications.clientType,
          cell: ({ client_type }) => (client_type === 'public' ? applications.publicClient : applications.confidentialClient),
        },
      ],
      empty: this.#query.search ? applications.nothingFound : applications.empty,
    })}
    ${pager(this.#query, this.#next, goQuery)}`;
  }
}

define('gh-applications', Applications);
