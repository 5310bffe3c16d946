// What was received and shared: by party, or all of it, newest first.
import { html, nothing, type TemplateResult } from 'lit';
import { define } from '../../shared/element.ts';
import { listQuery, pager } from '../../shared/list.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { table } from '../../shared/table.ts';
import { relativeTime, time } from '../../shared/time.ts';
import { goQuery } from '../frame.ts';
import { hostOf } from '../peer.ts';
import { peerLine, verifiedBadge } from '../peer-card.ts';
import { api, type ListPage } from '../session.ts';
import type { Exchange, Party } from '../types.ts';
import { words } from '../words/index.ts';
import { outcomeOf, peerOf, stateBadge, stateName, subjectOf } from './names.ts';

const PAGE = 50;

class History extends Screen {
  #exchanges: readonly Exchange[] = [];
  #parties: readonly Party[] = [];
  #next: string | undefined;

  /** One party, all of them, or exchanges in a list. */
  get #view(): 'party' | 'parties' | 'list' {
    const { query } = this.location;
    if (query.get('party')) return 'party';
    return ['open', 'protocol', 'view'].some((name) => query.get(name)) ? 'list' : 'parties';
  }

  heading(): string {
    const party = this.location.query.get('party');
    return party ? words.history.withParty(hostOf(party)) : words.history.title;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    const { query } = this.location;
    const page = { limit: PAGE, cursor: listQuery(this.location).marker };
    if (this.#view === 'parties') {
      this.#parties = this.#take(await api.list<Party>('/parties', { query: page, signal }));
      return;
    }
    const filter = Object.fromEntries(['open', 'protocol', 'party'].map((name) => [name, query.get(name) ?? undefined]));
    this.#exchanges = this.#take(await api.list<Exchange>('/exchanges', { query: { ...page, ...filter }, signal }));
  }

  #take<Item>({ items, cursor }: ListPage<Item>): readonly Item[] {
    this.#next = cursor;
    return items;
  }

  #filters(): Content {
    const { history } = words;
    const { query } = this.location;
    const current = this.#view === 'list' ? (query.get('open') ? 'open' : (query.get('protocol') ?? 'all')) : 'parties';
    const filters = [
      ['parties', history.parties, {}],
      ['all', history.all, { view: 'all' }],
      ['open', history.open, { open: 'true' }],
      ['oid4vci', history.receivedOnes, { protocol: 'oid4vci' }],
      ['oid4vp', history.sharedOnes, { protocol: 'oid4vp' }],
    ] as const;
    return html`<nav aria-label=${history.title}><ul class="tabs">${filters.map(
      ([name, label, filter]) =>
        html`<li><a href=${hrefOf('/history', filter)} aria-current=${name === current ? 'page' : 'false'}>${label}</a></li>`,
    )}</ul></nav>`;
  }

  #party({ party, received, shared, open, lastAt, newest }: Party): TemplateResult {
    const { history } = words;
    const peer = peerOf(newest);
    return html`<li class="card party">
      <div class="between">
        <h2><a href=${hrefOf('/history', { party })}><bdi>${hostOf(party)}</bdi></a></h2>
        <span>${verifiedBadge(peer)} ${open > 0 ? html`<span class="badge warn">${history.openOnes(open)}</span>` : nothing}</span>
      </div>
      ${peer.name === undefined ? nothing : html`<p class="peer-name">${peer.isVerified ? words.peers.name : words.peers.callsItself} <q><bdi>${peer.name}</bdi></q></p>`}
      <p>${[received > 0 ? history.gaveTimes(received) : [], shared > 0 ? history.gotTimes(shared) : []].flat().join(' ') || history.nothingYet}</p>
      <p class="soft">${outcomeOf(newest)} ${relativeTime(lastAt)}</p>
    </li>`;
  }

  #empty(): TemplateResult {
    return html`<div class="empty"><p>${words.history.empty}</p><p><a class="button" href=${hrefOf('/receive')}>${words.open.title}</a></p></div>`;
  }

  #oneParty(): Content {
    const { history } = words;
    const [newest] = this.#exchanges;
    return html`<p><a href=${hrefOf('/history')}>${history.toParties}</a></p>
      ${newest ? html`<p>${peerLine(peerOf(newest))} ${verifiedBadge(peerOf(newest))}</p>` : this.#empty()}
      <ol class="steps">${this.#exchanges.map(
        (one) => html`<li>
          <strong>${time(one.updatedAt)}</strong> <span class="badge ${stateBadge(one)}">${stateName(one)}</span><br />
          <bdi>${outcomeOf(one)}</bdi> <a href=${hrefOf(`/history/${part(one.id)}`)}>${history.details}<span class="hidden"> ${time(one.updatedAt)}</span></a>
        </li>`,
      )}</ol>`;
  }

  #list(): Content {
    const { history } = words;
    return table<Exchange>({
      caption: history.title,
      rows: this.#exchanges,
      key: ({ id }) => id,
      columns: [
        {
          name: history.with,
          isHeader: true,
          cell: (one) => html`<a href=${hrefOf(`/history/${part(one.id)}`)}>${peerLine(peerOf(one))}</a>`,
        },
        { name: history.what, cell: ({ protocol }) => (protocol === 'oid4vci' ? history.receiving : history.sharing) },
        { name: history.about, cell: (one) => html`<bdi>${subjectOf(one)}</bdi>` },
        { name: history.state, cell: (one) => html`<span class="badge ${stateBadge(one)}">${stateName(one)}</span>` },
        { name: history.when, cell: ({ updatedAt }) => time(updatedAt) },
      ],
      empty: this.#empty(),
    });
  }

  #all(): Content {
    if (this.#parties.length === 0) return this.#empty();
    return html`<ul class="cards">${this.#parties.map((one) => this.#party(one))}</ul>`;
  }

  protected content(): Content {
    const view = this.#view;
    return html`${view === 'party' ? nothing : this.#filters()}
    ${view === 'party' ? this.#oneParty() : view === 'parties' ? this.#all() : this.#list()}
    ${pager(listQuery(this.location), this.#next, goQuery)}`;
  }
}

define('gw-history', History);
