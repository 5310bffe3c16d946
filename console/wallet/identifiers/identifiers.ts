// The decentralized identifiers (DIDs) of the wallet.
import { html, nothing } from 'lit';
import { openForm } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { listQuery, pager } from '../../shared/list.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { time } from '../../shared/time.ts';
import { shared } from '../../shared/words/index.ts';
import { expertTabs } from '../experts.ts';
import { go, goQuery } from '../frame.ts';
import { api } from '../session.ts';
import type { Did } from '../types.ts';
import { words } from '../words/index.ts';
import { stateBadge } from './actions.ts';

const PAGE = 50;

class Identifiers extends Screen {
  #dids: readonly Did[] = [];
  #next: string | undefined;

  heading(): string {
    return words.identifiers.title;
  }

  protected override headingActions(): Content {
    return html`<button type="button" @click=${() => void this.#create()}>${words.identifiers.create}</button>`;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    const { items, cursor } = await api.list<Did>('/dids', {
      query: { limit: PAGE, cursor: listQuery(this.location).marker },
      signal,
    });
    this.#dids = items;
    this.#next = cursor;
  }

  async #create(): Promise<void> {
    const { identifiers } = words;
    let created: Did | undefined;
    await openForm({
      title: identifiers.create,
      text: identifiers.createText,
      fields: [
        {
          name: 'method',
          label: identifiers.method,
          type: 'select',
          required: true,
          options: (['web', 'key', 'jwk'] as const).map((value) => ({ value, label: identifiers.methods[value] })),
        },
        { name: 'path', label: identifiers.path, hint: identifiers.pathHint, pattern: '[a-z0-9\\-]{1,63}', maxLength: 63 },
        { name: 'alias', label: identifiers.alias, maxLength: 100, hint: identifiers.aliasHint },
      ],
      submitLabel: shared.create,
      submit: async (values) => {
        const method = values.text('method');
        created = await api.post<Did>('/dids', {
          method,
          alias: values.optional('alias'),
          ...(method === 'web' ? { path: values.optional('path') } : {}),
        });
        announce(identifiers.created);
      },
    });
    if (created) await go(`/identifiers/${part(created.id)}`);
  }

  protected content(): Content {
    const { identifiers } = words;
    return html`${expertTabs('identifiers')}<p>${identifiers.text}</p>
    ${table<Did>({
      caption: identifiers.title,
      rows: this.#dids,
      key: ({ id }) => id,
      columns: [
        {
          name: identifiers.identifier,
          isHeader: true,
          cell: ({ id, did, alias }) =>
            html`<a href=${hrefOf(`/identifiers/${part(id)}`)}>${alias ?? did}</a>${alias ? html`<br /><span class="soft">${did}</span>` : nothing}`,
        },
        {
          name: identifiers.state,
          cell: (one) =>
            html`<span class="badge ${stateBadge(one)}">${identifiers.states[one.state]}</span> ${one.default ? html`<span class="badge">${words.keys.default}</span>` : nothing}`,
        },
        { name: identifiers.keys, cell: ({ keys }) => keys.length },
        { name: identifiers.createdAt, cell: ({ createdAt }) => time(createdAt) },
      ],
      empty: identifiers.empty,
    })}
    ${pager(listQuery(this.location), this.#next, goQuery)}`;
  }
}

define('gw-identifiers', Identifiers);
