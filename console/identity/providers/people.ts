// The people who are linked with a provider, and their sessions.
import { html } from 'lit';
import { confirmAct } from '../../shared/dialog.ts';
import { listQuery, nextMarker, pager } from '../../shared/list.ts';
import { type Location, part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { numberText, relativeTime, time } from '../../shared/time.ts';
import { goQuery } from '../frame.ts';
import { impactOf } from '../impact.ts';
import { type Links, thingLink } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { providerPath } from './types.ts';

interface Linked {
  readonly id: string;
  readonly user: { readonly id: string; readonly name: string };
  readonly label: string;
  readonly by_address: boolean;
  readonly sessions: number;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

const PAGE = 50;

export class LinkedPeople {
  readonly #id: string;
  readonly #location: Location;
  readonly #reload: () => Promise<void>;
  #people: readonly Linked[] = [];
  #next: string | undefined;

  constructor(id: string, location: Location, reload: () => Promise<void>) {
    this.#id = id;
    this.#location = location;
    this.#reload = reload;
  }

  async load(signal: AbortSignal): Promise<void> {
    const { provider_links: people, links } = await api.get<{ provider_links: Linked[]; links: Links }>(
      `${providerPath(this.#id)}/provider_links`,
      { query: { limit: PAGE, marker: listQuery(this.#location).marker }, signal },
    );
    this.#people = people;
    this.#next = nextMarker(links.next);
  }

  async #unlink({ id, user, label }: Linked): Promise<void> {
    const { providers } = words;
    const done = await confirmAct({
      title: providers.unlinkTitle(user.name, label),
      text: providers.unlinkText,
      action: providers.unlink,
      run: () => api.delete(`${providerPath(this.#id)}/provider_links/${part(id)}`),
    });
    if (!done) return;
    await this.#reload();
    announce(providers.unlinked(user.name));
  }

  async #endSessions(): Promise<void> {
    const { providers } = words;
    const path = providerPath(this.#id);
    const done = await confirmAct({
      title: providers.endSessions,
      text: html`<p>${providers.endSessionsText}</p>${impactOf(path, ['sessions'])}`,
      action: providers.endSessions,
      run: () => api.delete(`${path}/sessions`),
    });
    if (!done) return;
    await this.#reload();
    announce(providers.sessionsEnded);
  }

  content(): Content {
    const { providers } = words;
    const mayOpen = session.may('identity:list_users');
    return html`<div class="between"><p>${providers.peopleText}</p>
      <button type="button" class="second danger" @click=${() => void this.#endSessions()}>${providers.endSessions}</button></div>
    ${table<Linked>({
      caption: providers.people,
      rows: this.#people,
      key: ({ id }) => id,
      columns: [
        {
          name: providers.person,
          isHeader: true,
          cell: ({ user }) => (mayOpen ? thingLink('users', user.id, user.name) : user.name),
        },
        {
          name: providers.there,
          cell: ({ label, by_address: byAddress }) =>
            byAddress ? html`${label} <span class="badge">${providers.byAddress}</span>` : label,
        },
        { name: providers.linkedAt, cell: ({ created_at: at }) => time(at) },
        { name: providers.lastUsed, cell: ({ last_used_at: at }) => relativeTime(at, providers.never) },
        { name: providers.sessions, cell: ({ sessions }) => numberText(sessions) },
      ],
      actions: (linked) =>
        html`<button type="button" class="second small danger" aria-label=${providers.unlinkTitle(linked.user.name, linked.label)} @click=${() => void this.#unlink(linked)}>${providers.unlink}</button>`,
      empty: providers.noPeople,
    })}
    ${pager(listQuery(this.#location), this.#next, goQuery)}`;
  }
}
