// What a person did, and what happened to them.
import { html } from 'lit';
import { listQuery, nextMarker, pager } from '../../shared/list.ts';
import { hrefOf } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { table } from '../../shared/table.ts';
import { time } from '../../shared/time.ts';
import { goQuery } from '../frame.ts';
import { api } from '../session.ts';
import { type Links, namesOf, thingLink } from '../things.ts';
import { words } from '../words/index.ts';
import { PersonTab } from './person-tab.ts';

interface AuditEvent {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly outcome: 'success' | 'failure';
  readonly actor_id: string | null;
  readonly target_type: string;
  readonly target_id: string;
}

const PAGE = 50;

export class PersonHistory extends PersonTab {
  #events: readonly AuditEvent[] = [];
  #next: string | undefined;
  #actors: ReadonlyMap<string, string> = new Map();

  async load(signal: AbortSignal): Promise<void> {
    const { user, location } = this.context;
    const { events, links } = await api.get<{ events: readonly AuditEvent[]; links: Links }>('/v3/OS-AUDIT/events', {
      query: { user_id: user.id, limit: PAGE, marker: listQuery(location).marker },
      signal,
    });
    this.#events = events;
    this.#next = nextMarker(links.next);
    const actors = await namesOf(
      'users',
      events.flatMap(({ actor_id: id }) => (id === null || id === user.id ? [] : [id])),
      signal,
    );
    this.#actors = new Map([...actors, [user.id, user.name]]);
  }

  content(): Content {
    const { people } = words;
    const { user, location } = this.context;
    const who = (id: string | null): Content => (id === null ? people.theService : thingLink('users', id, this.#actors.get(id)));
    return html`<p><a href=${hrefOf('/audit', { user_id: user.id })}>${people.inAudit}</a></p>
    ${table<AuditEvent>({
      caption: people.tabs.history,
      rows: this.#events,
      key: ({ id }) => id,
      columns: [
        { name: people.when, isHeader: true, cell: ({ at }) => time(at) },
        { name: people.what2, cell: ({ action }) => html`<code>${action}</code>` },
        {
          name: people.outcome,
          cell: ({ outcome }) =>
            html`<span class="badge ${outcome === 'success' ? 'good' : 'bad'}">${people.outcomes[outcome]}</span>`,
        },
        { name: people.by, cell: ({ actor_id: id }) => who(id) },
        {
          name: people.about,
          cell: ({ target_type: type, target_id: id }) => (id === user.id ? people.thisPerson : html`${type} <code>${id}</code>`),
        },
      ],
      empty: people.noHistory,
    })}
    ${pager(listQuery(location), this.#next, goQuery)}`;
  }
}
