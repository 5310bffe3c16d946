// The roles that are given in an organization or a domain, or to a group: as given, or in effect, and where each comes from.
import { html, nothing, type TemplateResult } from 'lit';
import { listQuery, nextMarker, pager } from '../../shared/list.ts';
import { hrefOf, type Location, part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { goQuery } from '../frame.ts';
import type { Links } from '../resources.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { giveRole, type Holder, type Place, readMayTake, takeRole } from './give.ts';
import { type Assignment, keyOf, OriginNames, originText } from './origin.ts';

const PAGE = 50;

export interface RoleListOptions {
  /** Of an organization or a domain. */
  readonly at?: Place;
  /** Of a group. */
  readonly to?: Holder;
  readonly location: Location;
  /** Whether roles may be given: some of them, to some. */
  readonly mayGive: boolean;
  reload(): Promise<void>;
}

const filterOf = ({ at, to }: RoleListOptions): Record<string, string> => ({
  ...(at ? { [at.kind === 'domains' ? 'scope.domain.id' : 'scope.project.id']: at.id } : {}),
  ...(to ? { 'group.id': to.id } : {}),
});

export class RoleList {
  readonly #options: RoleListOptions;
  readonly #names = new OriginNames();
  readonly #isEffective: boolean;
  #assignments: readonly Assignment[] = [];
  #next: string | undefined;
  #mayTake: (assignment: Assignment) => boolean = () => false;

  constructor(options: RoleListOptions) {
    this.#options = options;
    // Groups have no roles in effect: their members have.
    this.#isEffective = options.to === undefined && options.location.query.get('view') === 'effective';
  }

  async load(signal: AbortSignal): Promise<void> {
    const { role_assignments: found, links } = await api.get<{ role_assignments: readonly Assignment[]; links: Links }>(
      '/v3/role_assignments',
      {
        query: {
          ...filterOf(this.#options),
          include_names: true,
          effective: this.#isEffective || undefined,
          limit: PAGE,
          marker: listQuery(this.#options.location).marker,
        },
        signal,
      },
    );
    this.#assignments = found;
    this.#next = nextMarker(links.next);
    [this.#mayTake] = await Promise.all([readMayTake(found, signal), this.#names.load(found, signal)]);
  }

  async #after(isDone: boolean, text: string): Promise<void> {
    if (!isDone) return;
    await this.#options.reload();
    announce(text);
  }

  async #give(to: Holder): Promise<void> {
    await this.#after(await giveRole(to, this.#options.at), words.grants.given);
  }

  #views(): TemplateResult | typeof nothing {
    const { grants } = words;
    if (this.#options.to) return nothing;
    const view = (id: string | undefined, label: string, isCurrent: boolean): TemplateResult =>
      html`<button type="button" class=${isCurrent ? 'small' : 'small second'} aria-pressed=${isCurrent ? 'true' : 'false'} @click=${() => void goQuery({ view: id, marker: undefined })}>${label}</button>`;
    return html`<div class="actions" role="group" aria-label=${grants.views}>${view(undefined, grants.asGiven, !this.#isEffective)}${view('effective', grants.effective, this.#isEffective)}</div>`;
  }

  #buttons(): Content {
    const { grants } = words;
    const { mayGive, to } = this.#options;
    if (!mayGive) return nothing;
    const nobody = { id: '', name: '' };
    if (to) return html`<button type="button" class="small" @click=${() => void this.#give(to)}>${grants.give}</button>`;
    return html`<button type="button" class="small" @click=${() => void this.#give({ kind: 'users', ...nobody })}>${grants.giveToPerson}</button>
      <button type="button" class="small second" @click=${() => void this.#give({ kind: 'groups', ...nobody })}>${grants.giveToGroup}</button>`;
  }

  content(): Content {
    const { grants } = words;
    const { at, location } = this.#options;
    const take = (assignment: Assignment): TemplateResult =>
      html`<button type="button" class="second small danger" @click=${async () => this.#after(await takeRole(assignment), grants.taken)}>${grants.take}</button>`;
    return html`<div class="between toolbar">${this.#views()}<div class="actions">${this.#buttons()}</div></div>
    ${table<Assignment>({
      caption: grants.inOrganizations,
      rows: this.#assignments,
      key: keyOf,
      columns: [
        ...(at ? [{ name: grants.holder, isHeader: true, cell: holderLink }] : []),
        { name: grants.role, isHeader: !at, cell: ({ role }: Assignment) => role.name ?? role.id },
        ...(at ? [] : [{ name: grants.where, cell: ({ scope }: Assignment) => scopeLink(scope) }]),
        { name: grants.origin, cell: (assignment) => originText(assignment, this.#names) },
      ],
      actions: (assignment) => (this.#mayTake(assignment) ? take(assignment) : nothing),
      empty: grants.noneHere,
    })}
    ${pager(listQuery(location), this.#next, goQuery)}`;
  }
}

/** The roles of one person in one place, each with where it comes from. */
export const roleLines = (
  assignments: readonly Assignment[],
  names: OriginNames,
  actions: (assignment: Assignment) => Content = () => nothing,
): TemplateResult =>
  html`<ul class="plain-list lines">${assignments.map(
    (one) => html`<li class="between">
    <span><strong>${one.role.name ?? one.role.id}</strong> <span class="soft">${originText(one, names)}</span></span>
    ${actions(one)}
  </li>`,
  )}</ul>`;

export function holderLink({ user, group }: Assignment): Content {
  if (user) return html`<a href=${hrefOf(`/people/${part(user.id)}`)}>${user.name ?? user.id}</a>`;
  return group
    ? html`${words.grants.group} <a href=${hrefOf(`/groups/${part(group.id)}`)}>${group.name ?? group.id}</a>`
    : nothing;
}

export function scopeLink({ project, domain }: Assignment['scope']): Content {
  if (project) return html`<a href=${hrefOf(`/organizations/${part(project.id)}`)}>${project.name ?? project.id}</a>`;
  if (domain)
    return html`${words.grants.domainNamed} <a href=${hrefOf(`/domains/${part(domain.id)}`)}>${domain.name ?? domain.id}</a>`;
  return words.grants.system;
}
