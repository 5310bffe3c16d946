// What happened: audit events by person, action, target and time; live; as a file.
import { html, nothing, type TemplateResult } from 'lit';
import { define } from '../../shared/element.ts';
import { FormValues, formField } from '../../shared/form.ts';
import { listQuery, nextMarker, pager } from '../../shared/list.ts';
import { type Problem, problemMessage, problemOf } from '../../shared/problem.ts';
import { hrefOf } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { table } from '../../shared/table.ts';
import { numberText } from '../../shared/time.ts';
import { shared } from '../../shared/words/index.ts';
import { goQuery } from '../frame.ts';
import { findPeople, type Links, namesOf, namesOfApplications, thingLink } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { type AuditEvent, eventColumns, kindOf } from './event-columns.ts';
import { type FileFormat, readEventFile } from './export.ts';

const PAGE = 50;
const FOLLOW_MS = 3000;
/** Following for hours must not fill the page. */
const MAX_SHOWN = 500;
/** New events come several times, until they have settled. */
const MAX_KNOWN = 20_000;
const FILTERS = ['user_id', 'action', 'target_type', 'target_id', 'outcome', 'since', 'until'] as const;
const TARGETS = ['user', 'group', 'project', 'domain', 'consumer'];
/** What events name by id only, and the rule that opens its screen. */
const LINKS: Readonly<Record<string, readonly [kind: 'groups' | 'projects' | 'domains', rule: string]>> = {
  group: ['groups', 'identity:list_groups'],
  project: ['projects', 'identity:list_projects'],
  domain: ['domains', 'identity:list_domains'],
};

/** `2026-11-16T08:00` in the reader's zone, as the API has it. */
const isoOf = (local: string): string | undefined => {
  const at = new Date(local);
  return local === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
};

/** For the field: the local time without its zone. */
function localOf(iso: string | null): string {
  const at = new Date(iso ?? '');
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

class Audit extends Screen {
  #events: readonly AuditEvent[] = [];
  #next: string | undefined;
  #after = '';
  #names: ReadonlyMap<string, string> = new Map();
  #applications: ReadonlyMap<string, string> = new Map();
  readonly #asked = new Set<string>();
  #following: ReturnType<typeof setInterval> | undefined;
  #problem: Problem | undefined;
  #known = new Set<string>();
  #export: { readonly stop: AbortController; readonly count: number } | undefined;
  #note = '';

  heading(): string {
    return words.audit.title;
  }

  get #query(): Record<string, string | undefined> {
    return Object.fromEntries(FILTERS.map((name) => [name, this.location.query.get(name) ?? undefined]));
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    this.#stop();
    this.#note = '';
    const query = { ...this.#query, limit: PAGE, marker: listQuery(this.location).marker };
    const answer = await api.get<{ events: AuditEvent[]; links: Links; after: string }>('/v3/OS-AUDIT/events', { query, signal });
    this.#events = answer.events;
    this.#next = nextMarker(answer.links.next);
    this.#after = answer.after;
    this.#known = new Set(answer.events.map(({ id }) => id));
    await this.#readNames(signal);
    if (this.location.query.has('live')) this.#follow();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop();
    this.#export?.stop.abort();
  }

  async #readNames(signal?: AbortSignal): Promise<void> {
    const ids = this.#events.flatMap(({ actor_id, target_type, target_id }) => [
      ...(actor_id === null ? [] : [actor_id]),
      ...(target_type === 'user' ? [target_id] : []),
    ]);
    const applicationIds = this.#events.filter(({ target_type }) => target_type === 'consumer').map(({ target_id }) => target_id);
    const isNew = (id: string): boolean => !this.#asked.has(id);
    const [people, applications] = await Promise.all([
      namesOf('users', ids.filter(isNew), signal),
      namesOfApplications(applicationIds.filter(isNew), signal),
    ]);
    for (const id of [...ids, ...applicationIds]) this.#asked.add(id);
    this.#names = new Map([...this.#names, ...people]);
    this.#applications = new Map([...this.#applications, ...applications]);
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
      const query = { ...this.#query, until: undefined, after: this.#after };
      const { events, after } = await api.get<{ events: AuditEvent[]; after: string }>('/v3/OS-AUDIT/events', { query });
      if (!this.#following) return;
      this.#after = after;
      this.#problem = undefined;
      const fresh = events.filter(({ id }) => !this.#known.has(id));
      this.#known = new Set([...this.#known, ...fresh.map(({ id }) => id)].slice(-MAX_KNOWN));
      // One that was stored late has its place among the others.
      const isNewer = (a: AuditEvent, b: AuditEvent): number => (a.at === b.at ? (a.id < b.id ? 1 : -1) : a.at < b.at ? 1 : -1);
      this.#events = [...fresh, ...this.#events].sort(isNewer).slice(0, MAX_SHOWN);
      if (fresh.length > 0) await this.#readNames();
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

  #filters(): TemplateResult {
    const { audit } = words;
    const query = this.#query;
    const person = query.user_id;
    const apply = (event: SubmitEvent): void => {
      event.preventDefault();
      const values = new FormValues(event.target as HTMLFormElement);
      const changes = Object.fromEntries(FILTERS.map((name) => [name, values.optional(name)]));
      void goQuery({ ...changes, since: isoOf(values.text('since')), until: isoOf(values.text('until')), marker: undefined });
    };
    const outcomes = ['', 'success', 'failure'] as const;
    return html`<details class="card" ?open=${FILTERS.some((name) => query[name] !== undefined)}><summary>${audit.filter}</summary>
      <form class="filters" @submit=${apply}>
        ${formField({ name: 'user_id', label: audit.person, type: 'pick', find: findPeople, ...(person ? { chosen: { value: person, label: this.#names.get(person) ?? person } } : {}) }, 'audit')}
        ${formField({ name: 'action', label: audit.action, value: query.action ?? '', hint: audit.actionHint, suggestions: ['user.*', 'consumer.*', 'user.logged_in', 'project.*', 'grant.*'] }, 'audit')}
        ${formField({ name: 'target_type', label: audit.targetType, value: query.target_type ?? '', suggestions: TARGETS }, 'audit')}
        ${formField({ name: 'target_id', label: audit.targetId, value: query.target_id ?? '' }, 'audit')}
        ${formField({ name: 'outcome', label: audit.outcome, type: 'select', value: query.outcome ?? '', options: outcomes.map((value) => ({ value, label: audit.outcomes[value || 'any'] })) }, 'audit')}
        ${formField({ name: 'since', label: audit.since, type: 'datetime-local', value: localOf(query.since ?? null) }, 'audit')}
        ${formField({ name: 'until', label: audit.until, type: 'datetime-local', value: localOf(query.until ?? null) }, 'audit')}
        <div class="buttons"><button type="submit">${audit.apply}</button>
        <a class="button second" href=${hrefOf('/audit')}>${audit.clear}</a></div>
      </form></details>`;
  }

  #target(event: AuditEvent): Content {
    const { target_type: type, target_id: id } = event;
    const kind = kindOf(event);
    if (id === type) return kind;
    if (type === 'user') return html`${kind} ${thingLink('users', id, this.#names.get(id))}`;
    if (type === 'consumer') return html`${kind} ${thingLink('applications', id, this.#applications.get(id))}`;
    const [screen, rule] = LINKS[type] ?? [];
    return html`${kind} ${screen && rule && session.may(rule) ? thingLink(screen, id, id) : html`<code>${id}</code>`}`;
  }

  protected content(): Content {
    const { audit } = words;
    const details = ({ detail }: AuditEvent): Content =>
      Object.keys(detail).length === 0
        ? nothing
        : html`<details><summary>${audit.show}</summary><pre tabindex="0">${JSON.stringify(detail, null, 2)}</pre></details>`;
    return html`${problemMessage(this.#problem)} ${this.#progress()} ${this.#filters()}
    ${this.#following ? html`<p role="status" class="soft">${audit.following}</p>` : nothing}
    ${table<AuditEvent>({
      caption: audit.title,
      rows: this.#events,
      key: ({ id }) => id,
      columns: [
        ...eventColumns({ names: this.#names, target: (event) => this.#target(event) }),
        { name: audit.details, cell: details },
      ],
      empty: audit.empty,
    })}
    ${this.#following ? nothing : pager(listQuery(this.location), this.#next, goQuery)}`;
  }
}

define('gh-audit', Audit);
