// What a person did, and what happened to them.
import { html } from 'lit';
import { listQuery, nextMarker, pager } from '../../shared/list.ts';
import { hrefOf } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { table } from '../../shared/table.ts';
import { type AuditEvent, eventColumns, kindOf } from '../audit/event-columns.ts';
import { goQuery } from '../frame.ts';
import { type Links, namesOf } from '../resources.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { PersonTab } from './person-tab.ts';

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
    const target = (event: AuditEvent): Content =>
      event.target_id === user.id ? people.thisPerson : html`${kindOf(event)} <code>${event.target_id}</code>`;
    return html`<p><a href=${hrefOf('/audit', { user_id: user.id })}>${people.inAudit}</a></p>
    ${table<AuditEvent>({
      caption: people.tabs.history,
      rows: this.#events,
      key: ({ id }) => id,
      columns: eventColumns({ names: this.#actors, target }),
      empty: people.noHistory,
    })}
    ${pager(listQuery(location), this.#next, goQuery)}`;
  }
}
