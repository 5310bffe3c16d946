// What happened: audit events by person, action, target and time; live; as a file.
import { html, nothing } from 'lit';
import { define } from '../../shared/element.ts';
import { listQuery, nextMarker, pager } from '../../shared/list.ts';
import { type Problem, problemMessage, problemOf } from '../../shared/problem.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { table } from '../../shared/table.ts';
import { numberText } from '../../shared/time.ts';
import { shared } from '../../shared/words/index.ts';
import { goQuery } from '../frame.ts';
import { type Links, namesOf, namesOfApplications } from '../resources.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { eventColumns } from './event-columns.ts';
import { type FileFormat, readEventFile } from './export.ts';
import { FILTERS, type FilterQuery, filters } from './filters.ts';
import type { AuditEvent, Names } from './sentence.ts';

const PAGE = 50;
const FOLLOW_MS = 3000;
/** Following for hours must not fill the page. */
const MAX_SHOWN = 500;
/** New events come several times, until they have settled. */
const MAX_KNOWN = 20_000;
/** Things that are filtered for, and their lists. */
const KINDS = { user: 'users', group: 'groups', project: 'projects', domain: 'domains', consumer: 'consumers' } as const;

interface EventsAnswer {
  readonly events: AuditEvent[];
  readonly links: Links;
  readonly after: string;
  readonly names: Names;
}

const merged = (one: Names, other: Names): Names =>
  Object.fromEntries([...Object.keys(one), ...Object.keys(other)].map((kind) => [kind, { ...one[kind], ...other[kind] }]));

class Audit extends Screen {
  #events: readonly AuditEvent[] = [];
  #next: string | undefined;
  #after = '';
  #names: Names = {};
  #following: ReturnType<typeof setInterval> | undefined;
  #problem: Problem | undefined;
  #known = new Set<string>();
  #export: { readonly stop: AbortController; readonly count: number } | undefined;
  #note = '';

  heading(): string {
    return words.audit.title;
  }

  get #query(): FilterQuery {
    const query = FILTERS.map((name) => [name, this.location.query.get(name) ?? undefined]);
    return Object.fromEntries(query) as FilterQuery;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    this.#stop();
    this.#note = '';
    const query = { ...this.#query, limit: PAGE, marker: listQuery(this.location).marker, include_names: 'true' };
    const answer = await api.get<EventsAnswer>('/v3/OS-AUDIT/events', { query, signal });
    this.#events = answer.events;
    this.#names = merged(await this.#namesOfFilters(signal), answer.names);
    this.#next = nextMarker(answer.links.next);
    this.#after = answer.after;
    this.#known = new Set(answer.events.map(({ id }) => id));
    if (this.location.query.has('live')) this.#follow();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop();
    this.#export?.stop.abort();
  }

  /** Of what is filtered for, also where nothing was found. */
  async #namesOfFilters(signal: AbortSignal): Promise<Names> {
    const { actor_id, user_id, target_type, target_id, domain_id, application_id } = this.#query;
    const things = [
      ['user', actor_id],
      ['user', user_id],
      [target_type, target_id],
      ['domain', domain_id],
      ['consumer', application_id],
    ] as const;
    const found = await Promise.all(
      Object.entries(KINDS).map(async ([kind, many]) => {
        const ids = things.flatMap(([of, id]) => (of === kind && id !== undefined ? [id] : []));
        const names = many === 'consumers' ? await namesOfApplications(ids, signal) : await namesOf(many, ids, signal);
        return [kind, Object.fromEntries(names)] as const;
      }),
    );
    return Object.fromEntries(found);
  }

  #stop(): void {
    clearInterval(this.#following);
    this.#following = undefined;
  }

  #follow(): void {
    this.#following = setInterval(() => void this.#readNew(), FOLLOW_MS);
  }

  async #readNew(): Promise<void> {
    try {
      const query = { ...this.#query, until: undefined, after: this.#after, include_names: 'true' };
      const { events, after, names } = await api.get<EventsAnswer>('/v3/OS-AUDIT/events', { query });
      if (!this.#following) return;
      this.#after = after;
      this.#problem = undefined;
      const fresh = events.filter(({ id }) => !this.#known.has(id));
      this.#known = new Set([...this.#known, ...fresh.map(({ id }) => id)].slice(-MAX_KNOWN));
      // One that was stored late has its place among the others.
      const isNewer = (a: AuditEvent, b: AuditEvent): number => (a.at === b.at ? (a.id < b.id ? 1 : -1) : a.at < b.at ? 1 : -1);
      this.#events = [...fresh, ...this.#events].sort(isNewer).slice(0, MAX_SHOWN);
      this.#names = merged(this.#names, names);
    } catch (error) {
      this.#problem = problemOf(error);
    }
    this.requestUpdate();
  }

  protected override headingActions(): Content {
    const isLive = this.location.query.has('live');
    return html`<button type="button" class="second" aria-pressed=${isLive ? 'true' : 'false'}
        @click=${() => void goQuery({ live: isLive ? undefined : 'yes', marker: undefined })}>${isLive ? words.audit.stop : words.audit.follow}</button>
      <button type="button" class="second" ?disabled=${this.#export !== undefined} @click=${() => void this.#save('csv')}>CSV</button>
      <button type="button" class="second" ?disabled=${this.#export !== undefined} @click=${() => void this.#save('ndjson')}>JSON</button>`;
  }

  #progress(): Content {
    const { audit } = words;
    if (this.#export)
      return html`<div class="buttons"><p role="status">${audit.exporting(numberText(this.#export.count))}</p>
        <button type="button" class="second small" @click=${() => this.#export?.stop.abort()}>${shared.cancel}</button></div>`;
    return this.#note === '' ? nothing : html`<p role="status">${this.#note}</p>`;
  }

  /** Through the page, because a link cannot carry the token. */
  async #save(format: FileFormat): Promise<void> {
    const { audit } = words;
    const stop = new AbortController();
    const show = (count: number): void => {
      this.#export = { stop, count };
      this.requestUpdate();
    };
    this.#note = '';
    show(0);
    try {
      const file = await readEventFile({ format, query: this.#query, signal: stop.signal, onProgress: show });
      const link = document.createElement('a');
      link.href = URL.createObjectURL(file.content);
      link.download = file.name;
      link.click();
      URL.revokeObjectURL(link.href);
      this.#problem = undefined;
      const count = numberText(file.count);
      this.#note = file.isCut ? audit.exportCut(count) : audit.exported(count);
    } catch (error) {
      if (!stop.signal.aborted) this.#problem = problemOf(error);
    }
    this.#export = undefined;
    this.requestUpdate();
  }

  protected content(): Content {
    const { audit } = words;
    return html`${problemMessage(this.#problem)} ${this.#progress()} ${filters(this.#query, this.#names)}
    ${this.#following ? html`<p role="status" class="soft">${audit.following}</p>` : nothing}
    ${table<AuditEvent>({
      caption: audit.title,
      rows: this.#events,
      key: ({ id }) => id,
      columns: eventColumns(this.#names),
      empty: audit.empty,
    })}
    ${this.#following ? nothing : pager(listQuery(this.location), this.#next, goQuery)}`;
  }
}

define('gh-audit', Audit);
