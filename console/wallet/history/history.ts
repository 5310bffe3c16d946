// What was received and shared, newest first.
import { html } from 'lit';
import { define } from '../../shared/element.ts';
import { listQuery, pager } from '../../shared/list.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { table } from '../../shared/table.ts';
import { time } from '../../shared/time.ts';
import { goQuery } from '../frame.ts';
import { api } from '../session.ts';
import type { Exchange } from '../types.ts';
import { words } from '../words/index.ts';
import { peerName, stateBadge, stateName, subjectOf } from './names.ts';

const PAGE = 50;

class History extends Screen {
  #exchanges: readonly Exchange[] = [];
  #next: string | undefined;

  heading(): string {
    return words.history.title;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    const { query } = this.location;
    const { items, cursor } = await api.list<Exchange>('/exchanges', {
      query: {
        limit: PAGE,
        cursor: listQuery(this.location).marker,
        open: query.get('open') ?? undefined,
        protocol: query.get('protocol') ?? undefined,
      },
      signal,
    });
    this.#exchanges = items;
    this.#next = cursor;
  }

  #filters(): Content {
    const { history } = words;
    const { query } = this.location;
    const current = query.get('open') ? 'open' : (query.get('protocol') ?? 'all');
    const filters = [
      ['all', history.all, {}],
      ['open', history.open, { open: 'true' }],
      ['oid4vci', history.receivedOnes, { protocol: 'oid4vci' }],
      ['oid4vp', history.sharedOnes, { protocol: 'oid4vp' }],
    ] as const;
    return html`<ul class="tabs">${filters.map(
      ([name, label, filter]) =>
        html`<li><a href=${hrefOf('/history', filter)} aria-current=${name === current ? 'page' : 'false'}>${label}</a></li>`,
    )}</ul>`;
  }

  protected content(): Content {
    const { history } = words;
    return html`${this.#filters()}
    ${table<Exchange>({
      caption: history.title,
      rows: this.#exchanges,
      key: ({ id }) => id,
      columns: [
        {
          name: history.with,
          isHeader: true,
          cell: (one) => html`<a href=${hrefOf(`/history/${part(one.id)}`)}>${peerName(one)}</a>`,
        },
        { name: history.what, cell: ({ protocol }) => (protocol === 'oid4vci' ? history.receiving : history.sharing) },
        { name: history.about, cell: subjectOf },
        { name: history.state, cell: (one) => html`<span class="badge ${stateBadge(one)}">${stateName(one)}</span>` },
        { name: history.when, cell: ({ updatedAt }) => time(updatedAt) },
      ],
      empty: history.empty,
    })}
    ${pager(listQuery(this.location), this.#next, goQuery)}`;
  }
}

define('gw-history', History);
