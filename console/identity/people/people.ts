// The people of the service: found by name, e-mail or id.
import { html, nothing, type TemplateResult } from 'lit';
import { openForm } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { hrefOf, part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { Selection } from '../../shared/selection.ts';
import { announce } from '../../shared/status.ts';
import type { Column } from '../../shared/table.ts';
import { shared } from '../../shared/words/index.ts';
import { go, goQuery } from '../frame.ts';
import { ListScreen } from '../list-screen.ts';
import { findDomains, type User } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { bulkActs } from './bulk.ts';
import { invite } from './invite.ts';
import { type Lock, lockBadge, readLocks } from './lock.ts';
import { countWaiting, stateBadge, subScreens } from './shared.ts';

class People extends ListScreen<User> {
  protected readonly path = '/v3/users';
  #locks: ReadonlyMap<string, Lock> = new Map();
  #waiting: number | undefined;
  readonly #selection = new Selection<User>(() => this.requestUpdate());

  heading(): string {
    return words.people.title;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#countWaiting(signal), this.#loadPeople(signal), this.loadDomains(signal)]);
  }

  /** Once, not for each letter of a search. */
  async #countWaiting(signal: AbortSignal): Promise<void> {
    this.#waiting ??= await countWaiting(signal);
  }

  async #loadPeople(signal: AbortSignal): Promise<void> {
    await this.loadRows(signal);
    this.#selection.keep(this.rows);
    if (session.may('identity:list_user_locks'))
      this.#locks = await readLocks(
        this.rows.map(({ id }) => id),
        signal,
      );
  }

  protected override get filters(): Readonly<Record<string, string | undefined>> {
    const { query } = this.location;
    return {
      domain_id: query.get('domain_id') ?? undefined,
      enabled: query.get('enabled') ?? undefined,
      locked: query.get('locked') ?? undefined,
    };
  }

  #filter(
    { name, label, chosen = '' }: { readonly name: string; readonly label: string; readonly chosen: string | undefined },
    options: readonly (readonly [string, string])[],
    queryOf: (value: string) => Readonly<Record<string, string | undefined>>,
  ): TemplateResult {
    return html`<div class="field"><label for="filter-${name}">${label}</label>
      <select id="filter-${name}" @change=${(event: Event) => void goQuery({ ...queryOf((event.target as HTMLSelectElement).value), marker: undefined })}>
        <option value="">${words.people.all}</option>
        ${options.map(([value, text]) => html`<option value=${value} ?selected=${value === chosen}>${text}</option>`)}
      </select></div>`;
  }

  #domainFilter(): TemplateResult {
    const filter = { name: 'domain', label: words.people.domain, chosen: this.filters.domain_id };
    return this.#filter(filter, [...this.domains], (value) => ({ domain_id: value }));
  }

  /** Who is locked out may be enabled or disabled. It is one choice all the same: nobody looks for people who are locked out and disabled. */
  #stateFilter(): TemplateResult {
    const { people } = words;
    const { enabled, locked } = this.filters;
    const states = [
      ['true', people.enabled],
      ['false', people.disabled],
      ...(session.may('identity:list_user_locks') ? [['locked', people.lockedOut] as const] : []),
    ] as const;
    return this.#filter({ name: 'state', label: people.state, chosen: locked ? 'locked' : enabled }, states, (value) =>
      value === 'locked' ? { enabled: undefined, locked: 'true' } : { enabled: value, locked: undefined },
    );
  }

  protected override headingActions(): Content {
    const { people } = words;
    return html`${session.may('identity:create_invitation') ? html`<button type="button" @click=${() => void this.#invite()}>${people.invite}</button>` : nothing}
    ${session.may('identity:create_user') ? html`<button type="button" class="second" @click=${() => void this.#create()}>${people.create}</button> <a class="button second" href=${hrefOf('/people/import')}>${people.importList}</a>` : nothing}`;
  }

  async #invite(): Promise<void> {
    if (await invite()) await go('/people/invitations');
  }

  async #create(): Promise<void> {
    const { people } = words;
    let created: User | undefined;
    const domains = [...this.domains];
    const done = await openForm({
      title: people.create,
      text: people.createText,
      submitLabel: shared.create,
      fields: [
        { name: 'name', label: people.name, required: true, maxLength: 255 },
        { name: 'email', label: people.email, type: 'email', maxLength: 320 },
        {
          name: 'password',
          label: people.password,
          type: 'password',
          autocomplete: 'new-password',
          canGenerate: true,
          hint: people.passwordHint,
          maxLength: 4096,
        },
        ...(domains.length > 1 ? [{ name: 'domain', label: people.domain, type: 'pick' as const, find: findDomains }] : []),
        { name: 'enabled', label: people.maySignIn, type: 'checkbox', value: true },
      ],
      submit: async (values) => {
        const user = {
          name: values.text('name'),
          enabled: values.checked('enabled'),
          email: values.optional('email'),
          password: values.optional('password'),
          domain_id: values.optional('domain'),
        };
        created = (await api.post<{ user: User }>('/v3/users', { user })).user;
      },
    });
    if (!done || !created) return;
    announce(people.created(created.name));
    await go(`/people/${part(created.id)}`);
  }

  protected content(): Content {
    const { people } = words;
    const isFiltered = Object.values(this.filters).some(Boolean);
    const texts = {
      caption: people.title,
      what: people.what,
      empty: isFiltered ? people.nobodyLikeThis : people.empty,
      nothingFound: people.nobodyFound,
    };
    const tools = html`${this.domains.size > 1 ? this.#domainFilter() : nothing}${this.#stateFilter()}`;
    const acts = bulkActs(() => this.reload());
    const columns: Column<User>[] = [
      ...(acts.length > 0 ? [this.#selection.column(({ name }) => name)] : []),
      {
        name: people.name,
        isHeader: true,
        sort: 'name',
        cell: ({ id, name }) => html`<a href=${hrefOf(`/people/${part(id)}`)}>${name}</a>`,
      },
      { name: people.email, cell: ({ email }) => email ?? '' },
      ...this.domainColumn<User>(people.domain),
      // On a line of its own, so that names and addresses have room.
      { name: people.state, cell: ({ id, enabled }) => html`${stateBadge(enabled)}<div>${lockBadge(this.#locks.get(id))}</div>` },
    ];
    const bar = acts.length > 0 && this.rows.length > 0 ? this.#selection.bar(this.rows, acts) : nothing;
    return html`${subScreens('/people', this.#waiting)}${this.list(texts, columns, tools, bar)}`;
  }
}

define('gh-people', People);
