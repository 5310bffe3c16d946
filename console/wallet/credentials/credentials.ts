// The credentials of the wallet, as cards.
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { define } from '../../shared/element.ts';
import { listQuery, pager } from '../../shared/list.ts';
import { hrefOf } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { goQuery } from '../frame.ts';
import { api } from '../session.ts';
import type { Credential, Exchange } from '../types.ts';
import { words } from '../words/index.ts';
import { credentialCard } from './card.ts';

const PAGE = 48;

class Credentials extends Screen {
  #credentials: readonly Credential[] = [];
  #next: string | undefined;
  #open: readonly Exchange[] = [];
  /** Ask the issuers' lists when the screen loads next. Not each time: that would tell them when a person looks. */
  #asks = false;

  heading(): string {
    return words.credentials.title;
  }

  protected override headingActions(): Content {
    // Without a list there is nothing to ask.
    const canAsk = this.#credentials.some(({ status, statusCheckedAt }) => status === 'unknown' || statusCheckedAt !== undefined);
    return html`${canAsk ? html`<button type="button" class="second" @click=${() => void this.#check()}>${words.credentials.check}</button>` : nothing}
      <a class="button" href=${hrefOf('/receive')}>${words.open.title}</a>`;
  }

  async #check(): Promise<void> {
    this.#asks = true;
    await this.reload();
    if (!this.#asks) announce(words.credentials.wasChecked);
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    const { query } = this.location;
    const [credentials, open] = await Promise.all([
      api.list<Credential>('/credentials', {
        query: {
          limit: PAGE,
          cursor: listQuery(this.location).marker,
          keyId: query.get('keyId') ?? undefined,
          ...(this.#asks ? { refreshStatus: true } : {}),
        },
        signal,
      }),
      api.list<Exchange>('/exchanges', { query: { open: true, limit: 10 }, signal }),
    ]);
    this.#asks = false;
    this.#credentials = credentials.items;
    this.#next = credentials.cursor;
    this.#open = open.items;
  }

  protected content(): Content {
    const { credentials, history } = words;
    const list = listQuery(this.location);
    const byKey = this.location.query.get('keyId');
    return html`${
      this.#open.length === 0
        ? nothing
        : html`<p class="warn">${history.waiting(this.#open.length)} <a href=${hrefOf('/history', { open: 'true' })}>${history.show}</a></p>`
    }
    ${byKey ? html`<p>${credentials.ofKey} <a href=${hrefOf('/')}>${credentials.showAll}</a></p>` : nothing}
    ${
      this.#credentials.length === 0
        ? html`<div class="empty"><p>${credentials.empty}</p><p><a class="button" href=${hrefOf('/receive')}>${words.open.title}</a></p></div>`
        : html`<ul class="credential-cards">${repeat(
            this.#credentials,
            ({ id }) => id,
            (credential) => html`<li>${credentialCard(credential)}</li>`,
          )}</ul>`
    }
    ${pager(list, this.#next, goQuery)}`;
  }
}

define('gw-credentials', Credentials);
