// What a person did, and what happened to them.
import { html } from 'lit';
import { listQuery, nextMarker, pager } from '../../shared/list.ts';
import { hrefOf } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { table } from '../../shared/table.ts';
import { eventColumns } from '../audit/event-columns.ts';
import type { AuditEvent, Names } from '../audit/sentence.ts';
import { goQuery } from '../frame.ts';
import type { Links } from '../resources.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { PersonTab } from './person-tab.ts';

const PAGE = 50;

export class PersonHistory extends PersonTab {
  #events: readonly AuditEvent[] = [];
  #next: string | undefined;
  #names: Names = {};

  async load(signal: AbortSignal): Promise<void> {
    const { user, location } = this.context;
    const answer = await api.get<{ events: readonly AuditEvent[]; links: Links; names: Names }>('/v3/OS-AUDIT/events', {
      query: { user_id: user.id, limit: PAGE, marker: listQuery(location).marker, include_names: 'true' },
      signal,
    });
    this.#events = answer.events;
    this.#next = nextMarker(answer.links.next);
    this.#names = answer.names;
  }

  content(): Content {
    const { people } = words;
    const { user, location } = this.context;
    return html`<p><a href=${hrefOf('/audit', { user_id: user.id })}>${people.inAudit}</a></p>
    ${table<AuditEvent>({
      caption: people.tabs.history,
      rows: this.#events,
      key: ({ id }) => id,
      columns: eventColumns(this.#names),
      empty: people.noHistory,
    })}
    ${pager(listQuery(location), this.#next, goQuery)}`;
  }
}
