// Accounts that wait for their deletion, because their owners asked for it.
import { html, nothing } from 'lit';
import { confirmAct } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { type ListQuery, listQuery, nextMarker, pager } from '../../shared/list.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { relativeTime } from '../../shared/time.ts';
import { type MayWithRow, mayWithEach } from '../allowed.ts';
import { goQuery } from '../frame.ts';
import type { Links } from '../resources.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { subScreens } from './shared.ts';

interface Deletion {
  readonly user_id: string;
  readonly user_name: string;
  readonly requested_at: string;
  readonly due_at: string;
}

const PAGE = 50;

class Deletions extends Screen {
  #query: ListQuery = { search: undefined, sort: undefined, marker: undefined };
  #deletions: readonly Deletion[] = [];
  #next: string | undefined;
  #may: MayWithRow<Deletion> = () => false;

  heading(): string {
    return words.people.deletions;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    this.#query = listQuery(this.location);
    const { deletions, links } = await api.get<{ deletions: Deletion[]; links: Links }>('/v3/OS-ACCOUNT/deletions', {
      query: { marker: this.#query.marker, limit: PAGE },
      signal,
    });
    this.#deletions = deletions;
    this.#next = nextMarker(links.next);
    // A list is of one domain, or of somebody who may do the same in all of them.
    this.#may = await mayWithEach({ rows: deletions, key: () => '', ids: ({ user_id }) => ({ user_id }) }, signal);
  }

  async #keep({ user_id: id }: Deletion): Promise<void> {
    const { people } = words;
    const done = await confirmAct({
      title: people.keepTitle,
      text: people.keepText,
      action: people.keep,
      danger: false,
      run: () => api.delete(`/v3/users/${part(id)}/OS-ACCOUNT/deletion`),
    });
    if (!done) return;
    await this.reload();
    announce(people.kept);
  }

  protected content(): Content {
    const { people } = words;
    return html`${subScreens('/people/deletions')}
    ${table<Deletion>({
      caption: people.deletions,
      rows: this.#deletions,
      key: ({ user_id: id }) => id,
      columns: [
        {
          name: people.name,
          isHeader: true,
          cell: ({ user_id: id, user_name: name }) => html`<a href=${hrefOf(`/people/${part(id)}`)}>${name}</a>`,
        },
        { name: people.askedAt, cell: ({ requested_at: at }) => relativeTime(at) },
        { name: people.dueAt, cell: ({ due_at: at }) => relativeTime(at) },
      ],
      actions: (deletion) =>
        this.#may(deletion, 'identity:cancel_account_deletion')
          ? html`<button type="button" class="second small" @click=${() => void this.#keep(deletion)}>${people.keep}</button>`
          : nothing,
      empty: people.noDeletions,
    })}
    ${pager(this.#query, this.#next, goQuery)}`;
  }
}

define('gh-deletions', Deletions);
