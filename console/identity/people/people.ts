// The people of the service: found by name, e-mail or id.
import { html, nothing, type TemplateResult } from 'lit';
import { openForm } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { type ListQuery, listQuery, nextMarker, pager, searchBox } from '../../shared/list.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { go, goQuery } from '../frame.ts';
import { api, session } from '../session.ts';
import { domainNames, findDomains, type Links, type User } from '../things.ts';
import { words } from '../words/index.ts';
import { invite } from './invite.ts';
import { stateBadge, subScreens } from './parts.ts';

const PAGE = 50;

class People extends Screen {
  #query: ListQuery = { search: undefined, sort: undefined, marker: undefined };
  #users: readonly User[] = [];
  #next: string | undefined;
  #domains: ReadonlyMap<string, string> = new Map();

  heading(): string {
    return words.people.title;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    this.#query = listQuery(this.location);
    const { search, sort, marker } = this.#query;
    const [{ users, links }, domains] = await Promise.all([
      api.get<{ users: User[]; links: Links }>('/v3/users', {
        // What is found has an order of its own.
        query: { ...(search ? { search } : { sort: sort ?? 'name' }), ...this.#filters, marker, limit: PAGE },
        signal,
      }),
      // Once, not for each letter of a search.
      this.#domains.size > 0 ? this.#domains : domainNames(signal),
    ]);
    this.#users = users;
    this.#next = nextMarker(links.next);
    this.#domains = domains;
  }

  get #filters(): Readonly<Record<string, string | undefined>> {
    const { query } = this.location;
    return { domain_id: query.get('domain_id') ?? undefined, enabled: query.get('enabled') ?? undefined };
  }

  #filter(name: string, label: string, options: readonly (readonly [string, string])[]): TemplateResult {
    const chosen = this.#filters[name] ?? '';
    return html`<div class="field"><label for="filter-${name}">${label}</label>
      <select id="filter-${name}" @change=${(event: Event) => void goQuery({ [name]: (event.target as HTMLSelectElement).value, marker: undefined })}>
        <option value="">${words.people.all}</option>
        ${options.map(([value, text]) => html`<option value=${value} ?selected=${value === chosen}>${text}</option>`)}
      </select></div>`;
  }

  protected override headingActions(): Content {
    const { people } = words;
    return html`${session.may('identity:create_invitation') ? html`<button type="button" @click=${() => void this.#invite()}>${people.invite}</button>` : nothing}
    ${session.may('identity:create_user') ? html`<button type="button" class="second" @click=${() => void this.#create()}>${people.create}</button>` : nothing}`;
  }

  async #invite(): Promise<void> {
    if (await invite()) await go('/people/invitations');
  }

  async #create(): Promise<void> {
    const { people } = words;
    let created: User | undefined;
    const domains = [...this.#domains];
    const done = await openForm({
      title: people.create,
      text: people.createText,
      submitLabel: people.create,
      fields: [
        { name: 'name', label: people.name, required: true, maxLength: 255 },
        { name: 'email', label: people.email, type: 'email', maxLength: 320 },
        {
          name: 'password',
          label: people.password,
          type: 'password',
          autocomplete: 'new-password',
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
    const severalDomains = this.#domains.size > 1;
    const isFiltered = Object.values(this.#filters).some(Boolean);
    const { search } = this.#query;
    return html`${subScreens('/people')}
    <div class="toolbar">${searchBox(people.what, this.#query, goQuery)}
      ${severalDomains ? this.#filter('domain_id', people.domain, [...this.#domains]) : nothing}
      ${this.#filter('enabled', people.state, [
        ['true', people.enabled],
        ['false', people.disabled],
      ])}
    </div>
    ${table<User>({
      caption: people.title,
      rows: this.#users,
      sort: search ? undefined : (this.#query.sort ?? 'name'),
      onSort: (sort) => void goQuery({ sort, search: undefined, marker: undefined }),
      columns: [
        {
          name: people.name,
          isHeader: true,
          sort: 'name',
          cell: ({ id, name }) => html`<a href=${hrefOf(`/people/${part(id)}`)}>${name}</a>`,
        },
        { name: people.email, cell: ({ email }) => email ?? '' },
        ...(severalDomains
          ? [{ name: people.domain, cell: ({ domain_id }: User) => this.#domains.get(domain_id) ?? domain_id }]
          : []),
        { name: people.state, cell: ({ enabled }) => stateBadge(enabled) },
      ],
      empty: search ? people.nobodyFound(search) : isFiltered ? people.nobodyLikeThis : people.empty,
    })}
    ${pager(this.#query, this.#next, goQuery)}`;
  }
}

define('gh-people', People);
