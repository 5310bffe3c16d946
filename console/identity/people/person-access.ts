// What can act for a person beside themselves: programs, keys, and people with a trust. A new password does not end it.
import { html, nothing } from 'lit';
import { confirmAct } from '../../shared/dialog.ts';
import { part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { relativeTime } from '../../shared/time.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { PersonTab } from './person-tab.ts';

interface Delegated {
  readonly kind: 'application_credential' | 'trust' | 'oauth1' | 'key';
  readonly id: string;
  readonly is: keyof typeof words.people.delegatedKinds;
  readonly name: string | null;
  readonly project: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
}

export class PersonAccess extends PersonTab {
  #items: readonly Delegated[] = [];
  #hasMore = false;

  get #path(): string {
    return `${this.context.path}/OS-DELEGATED/access`;
  }

  async load(signal: AbortSignal): Promise<void> {
    const answer = await api.get<{ delegated_access: readonly Delegated[]; has_more: boolean }>(this.#path, { signal });
    this.#items = answer.delegated_access;
    this.#hasMore = answer.has_more;
  }

  /** One, or all with sessions and tokens. */
  async #end(item?: Delegated): Promise<void> {
    const { people } = words;
    const isDone = await confirmAct({
      title: item ? people.endDelegated : people.endAllDelegated,
      text: item ? people.endDelegatedText(item.name ?? people.delegatedKinds[item.is]) : people.endAllDelegatedText,
      action: item ? people.endDelegated : people.endAllDelegated,
      run: () => api.delete(item ? `${this.#path}/${part(item.kind)}/${part(item.id)}` : this.#path),
    });
    if (!isDone) return;
    await this.context.reload();
    announce(people.delegatedEnded);
  }

  content(): Content {
    const { people } = words;
    const mayEnd = this.context.may('identity:end_delegated_access');
    return html`<div class="between"><h2>${people.delegated}</h2>${
      mayEnd
        ? html`<button type="button" class="second small danger" @click=${() => void this.#end()}>${people.endAllDelegated}</button>`
        : nothing
    }</div>
    <p class="soft">${people.delegatedText}</p>
    ${table<Delegated>({
      caption: people.delegated,
      rows: this.#items,
      key: ({ kind, id }) => `${kind} ${id}`,
      columns: [
        { name: people.delegatedName, isHeader: true, cell: ({ name, id }) => name ?? html`<code>${id}</code>` },
        { name: people.delegatedKind, cell: ({ is }) => people.delegatedKinds[is] ?? is },
        { name: people.delegatedWhere, cell: ({ project }) => project ?? '' },
        { name: people.delegatedSince, cell: ({ created_at: at }) => relativeTime(at) },
        { name: people.validUntil, cell: ({ expires_at: at }) => relativeTime(at, people.never) },
      ],
      ...(mayEnd
        ? {
            actions: (item: Delegated): Content =>
              html`<button type="button" class="second small danger" aria-label=${`${people.endDelegated}: ${item.name ?? item.id}`}
                @click=${() => void this.#end(item)}>${people.endDelegated}</button>`,
          }
        : {}),
      empty: people.nothingDelegated,
    })}
    ${this.#hasMore ? html`<p role="note">${people.moreDelegated}</p>` : nothing}`;
  }
}
