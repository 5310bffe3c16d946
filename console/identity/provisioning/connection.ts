// One provisioning connection: its last requests, those that failed first.
import { html, nothing } from 'lit';
import { confirmAct, copyable } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { listQuery, nextMarker, pager } from '../../shared/list.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { currentTab, type Tab, tabBar } from '../../shared/tabs.ts';
import { numberText, relativeTime, time } from '../../shared/time.ts';
import { shared } from '../../shared/words/index.ts';
import { go, goQuery } from '../frame.ts';
import { domainNames, type Links } from '../resources.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';

interface Connection {
  readonly id: string;
  readonly name: string;
  readonly domain_id: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

interface ConnectionRequest {
  readonly id: string;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly scim_type: string | null;
  readonly detail: string | null;
  readonly milliseconds: number | null;
  readonly request_id: string | null;
}

const PAGE = 50;
const FAILED = 400;

/** What to do about an error: by its kind, else by its status. */
function adviceOn({ scim_type: kind, status }: ConnectionRequest): string | undefined {
  const advice: Readonly<Record<string, string>> = words.provisioning.advice;
  return (kind && advice[kind]) || advice[status] || (status >= 500 ? advice.server : undefined);
}

class ConnectionScreen extends Screen {
  #connection: Connection | undefined;
  #domain = '';
  #requests: readonly ConnectionRequest[] = [];
  #next: string | undefined;

  heading(): string {
    return this.#connection?.name ?? words.provisioning.connection;
  }

  get #path(): string {
    return `/v3/OS-SCIM/connections/${part(this.location.params.id!)}`;
  }

  get #tabId(): 'failure' | 'all' {
    return this.location.query.get('tab') === 'all' ? 'all' : 'failure';
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    const outcome = this.#tabId === 'failure' ? { outcome: 'failure' } : {};
    const query = { limit: PAGE, marker: listQuery(this.location).marker, ...outcome };
    const [{ connection }, { requests, links }, domains] = await Promise.all([
      api.get<{ connection: Connection }>(this.#path, { signal }),
      api.get<{ requests: ConnectionRequest[]; links: Links }>(`${this.#path}/requests`, { query, signal }),
      domainNames(signal),
    ]);
    this.#connection = connection;
    this.#domain = domains.get(connection.domain_id) ?? connection.domain_id;
    this.#requests = requests;
    this.#next = nextMarker(links.next);
  }

  protected override headingActions(): Content {
    return html`<button type="button" class="second" @click=${() => void this.reload()}>${words.provisioning.refresh}</button>
      <button type="button" class="second danger" @click=${() => void this.#remove()}>${shared.remove}</button>`;
  }

  async #remove(): Promise<void> {
    const { provisioning } = words;
    const title = provisioning.removeTitle(this.#connection!.name);
    const run = (): Promise<void> => api.delete(this.#path);
    if (!(await confirmAct({ title, text: provisioning.removeText, action: shared.remove, run }))) return;
    await go('/provisioning');
    announce(provisioning.removed);
  }

  #what(request: ConnectionRequest): Content {
    const { detail, scim_type: kind, request_id: id } = request;
    const advice = adviceOn(request);
    if (request.status < FAILED) return nothing;
    return html`<p><strong>${advice ?? detail}</strong></p>
      ${advice && detail ? html`<p>${detail}${kind ? html` <code>${kind}</code>` : nothing}</p>` : nothing}
      ${id ? html`<p class="soft">${words.provisioning.requestId} <code>${id}</code></p>` : nothing}`;
  }

  #list(empty: string): Content {
    const { provisioning } = words;
    return html`${table<ConnectionRequest>({
      caption: provisioning.requestsTitle,
      rows: this.#requests,
      key: ({ id }) => id,
      columns: [
        {
          name: provisioning.request,
          isHeader: true,
          cell: ({ method, path }) => html`<code>${method} ${path}</code>`,
        },
        {
          name: provisioning.answer,
          cell: ({ status }) =>
            html`<span class="badge ${status < FAILED ? 'good' : 'bad'}">${status} ${status < FAILED ? provisioning.done : provisioning.refused}</span>`,
        },
        { name: provisioning.what, cell: (request) => this.#what(request) },
        { name: provisioning.when, cell: ({ at }) => html`${time(at)}` },
        {
          name: provisioning.took,
          cell: ({ milliseconds: ms }) => (ms === null ? '–' : provisioning.milliseconds(numberText(ms))),
        },
      ],
      empty,
    })}
    ${pager(listQuery(this.location), this.#next, goQuery)}`;
  }

  protected content(): Content {
    const { provisioning } = words;
    const connection = this.#connection!;
    const here = `/provisioning/${part(connection.id)}`;
    const tabs: Tab[] = [
      {
        id: 'failure',
        label: provisioning.tabs.failure,
        href: hrefOf(here),
        content: () => this.#list(provisioning.noFailures),
      },
      {
        id: 'all',
        label: provisioning.tabs.all,
        href: hrefOf(here, { tab: 'all' }),
        content: () => this.#list(provisioning.noRequests),
      },
    ];
    const current = currentTab(tabs, this.#tabId);
    return html`<p><a href=${hrefOf('/provisioning')}>${provisioning.title}</a></p>
      <dl class="facts">
        <dt>${provisioning.domain}</dt><dd>${this.#domain}</dd>
        <dt>${provisioning.made}</dt><dd>${time(connection.created_at)}</dd>
        <dt>${provisioning.lastUsed}</dt><dd>${relativeTime(connection.last_used_at, provisioning.never)}</dd>
        <dt>${provisioning.id}</dt><dd>${copyable(connection.id)}</dd>
      </dl>
      <h2>${provisioning.requestsTitle}</h2>
      <p>${provisioning.requestsIntro}</p>
      ${tabBar(provisioning.requestsTitle, tabs, current)}
      ${current!.content()}`;
  }
}

define('gh-connection', ConnectionScreen);
