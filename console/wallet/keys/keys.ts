// The keys of the wallet.
import { html } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { openForm } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { listQuery, pager } from '../../shared/list.ts';
import { hrefOf } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { shared } from '../../shared/words/index.ts';
import { expertTabs } from '../experts.ts';
import { goQuery } from '../frame.ts';
import { api } from '../session.ts';
import type { Key } from '../types.ts';
import { words } from '../words/index.ts';
import { keyCard } from './key-card.ts';

const PAGE = 50;
const ALGORITHMS = ['ES256', 'EdDSA', 'ES384', 'ES512', 'ES256K', 'RS256', 'PS256'];

class Keys extends Screen {
  #keys: readonly Key[] = [];
  #next: string | undefined;

  heading(): string {
    return words.keys.title;
  }

  protected override headingActions(): Content {
    return html`<button type="button" @click=${() => void this.#create()}>${words.keys.create}</button>`;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    const { items, cursor } = await api.list<Key>('/keys', {
      query: { limit: PAGE, cursor: listQuery(this.location).marker },
      signal,
    });
    this.#keys = items;
    this.#next = cursor;
  }

  async #create(): Promise<void> {
    const { keys } = words;
    const isDone = await openForm({
      title: keys.create,
      fields: [
        { name: 'alias', label: keys.alias, maxLength: 100, hint: keys.aliasHint },
        {
          name: 'algorithm',
          label: keys.algorithm,
          type: 'select',
          required: true,
          value: 'ES256',
          options: ALGORITHMS.map((value) => ({ value, label: value })),
        },
        { name: 'default', label: keys.makeDefault, type: 'checkbox' },
      ],
      submitLabel: shared.create,
      submit: async (values) => {
        await api.post('/keys', {
          alias: values.optional('alias'),
          algorithm: values.text('algorithm'),
          ...(values.checked('default') ? { default: true } : {}),
        });
        announce(keys.createdText);
      },
    });
    if (isDone) await this.reload();
  }

  protected content(): Content {
    const { keys } = words;
    const marked = this.location.query.get('marked');
    if (this.#keys.length === 0)
      return html`${expertTabs('keys')}<div class="empty"><p>${keys.empty}</p><p><a class="button" href=${hrefOf('/receive')}>${words.open.title}</a></p></div>`;
    return html`${expertTabs('keys')}<p>${keys.text}</p>
      <div class="cards wide">${repeat(
        this.#keys,
        ({ id }) => id,
        (key) => keyCard(key, () => void this.reload(), key.id === marked),
      )}</div>
      ${pager(listQuery(this.location), this.#next, goQuery)}`;
  }
}

define('gw-keys', Keys);
