// The roles of a person, in organizations and in applications.
import { html, nothing } from 'lit';
import { confirmAct, openForm } from '../../shared/dialog.ts';
import { listQuery, nextMarker, pager } from '../../shared/list.ts';
import { part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { type MayWithRow, mayGiveRoles, mayWithEach } from '../allowed.ts';
import { goQuery } from '../frame.ts';
import { giveRole, readMayTake, takeRole } from '../grants/give.ts';
import { type Assignment, OriginNames, scopeId } from '../grants/origin.ts';
import { roleLines, scopeLink } from '../grants/role-list.ts';
import {
  findApplicationRoles,
  findApplications,
  findOrganizations,
  type Links,
  namesOf,
  namesOfApplications,
  type Role,
  thingLink,
} from '../resources.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { PersonTab } from './person-tab.ts';

interface ApplicationAssignment {
  readonly application_id: string;
  readonly role_id: string;
  readonly organization_id: string;
}

interface ApplicationRole extends Role {
  readonly is_internal: boolean;
}

const PAGE = 50;

const placeOf = (assignment: Assignment): string =>
  `${assignment.scope.project ? 'project' : assignment.scope.domain ? 'domain' : 'system'} ${scopeId(assignment)}`;

export class PersonRoles extends PersonTab {
  #assignments: readonly Assignment[] = [];
  #next: string | undefined;
  readonly #names = new OriginNames();
  #inApplications: readonly ApplicationAssignment[] = [];
  #applications: ReadonlyMap<string, string> = new Map();
  #roles: ReadonlyMap<string, string> = new Map();
  #organizations: ReadonlyMap<string, string> = new Map();
  #mayTake: (assignment: Assignment) => boolean = () => false;
  #mayWith: MayWithRow<ApplicationAssignment> = () => false;
  /** The caller may give roles of at least one application. */
  #mayGiveSome = false;

  async load(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#loadBase(signal), this.#loadApplications(signal)]);
  }

  async #loadBase(signal: AbortSignal): Promise<void> {
    const { user, location, may } = this.context;
    if (!may('identity:list_role_assignments')) return;
    const { role_assignments: found, links } = await api.get<{ role_assignments: readonly Assignment[]; links: Links }>(
      '/v3/role_assignments',
      {
        query: { 'user.id': user.id, effective: true, include_names: true, limit: PAGE, marker: listQuery(location).marker },
        signal,
      },
    );
    this.#assignments = found;
    this.#next = nextMarker(links.next);
    [this.#mayTake] = await Promise.all([readMayTake(found, signal), this.#names.load(found, signal)]);
  }

  async #loadApplications(signal: AbortSignal): Promise<void> {
    const { user, may } = this.context;
    if (!may('list_user_assignments')) return;
    const { role_assignments: found } = await api.get<{ role_assignments: readonly ApplicationAssignment[] }>(
      '/v3/OS-ROLES/users/role_assignments',
      { query: { user_id: user.id, limit: 200 }, signal },
    );
    this.#inApplications = found;
    this.#mayGiveSome = await mayGiveSomewhere(signal);
    if (found.length === 0) return;
    const applicationIds = [...new Set(found.map(({ application_id: id }) => id))];
    this.#mayWith = await mayWithEach<ApplicationAssignment>(
      {
        rows: found,
        key: (one) => Object.values(one).join(' '),
        ids: ({ application_id, organization_id, role_id }) => ({
          user_id: user.id,
          project_id: organization_id,
          application_id,
          role_id,
        }),
      },
      signal,
    );
    const [organizations, applications, roles] = await Promise.all([
      namesOf(
        'projects',
        found.map(({ organization_id: id }) => id),
        signal,
      ),
      namesOfApplications(applicationIds, signal),
      Promise.all(applicationIds.map((id) => rolesOf(id, signal))),
    ]);
    this.#organizations = organizations;
    this.#applications = applications;
    this.#roles = new Map(roles.flat().map(({ id, name }) => [id, name]));
  }

  async #after(isDone: boolean, text: string): Promise<void> {
    if (!isDone) return;
    await this.context.reload();
    announce(text);
  }

  async #give(): Promise<void> {
    const { id, name } = this.context.user;
    await this.#after(await giveRole({ kind: 'users', id, name }, undefined), words.grants.given);
  }

  async #take(assignment: Assignment): Promise<void> {
    await this.#after(await takeRole(assignment), words.grants.taken);
  }

  async #giveInApplication(): Promise<void> {
    const { grants, people } = words;
    const { user } = this.context;
    let applicationId: string | undefined;
    const isDone = await openForm({
      title: grants.giveInApplication(user.name),
      text: grants.giveInApplicationText,
      submitLabel: grants.give,
      fields: [
        {
          name: 'application',
          label: people.application,
          type: 'pick',
          required: true,
          find: findApplications,
          onChange: (id) => {
            applicationId = id;
          },
        },
        {
          name: 'role',
          label: people.applicationRole,
          hint: people.applicationRoleHint,
          type: 'pick',
          required: true,
          find: (text, signal) => findApplicationRoles(applicationId, text, signal),
        },
        {
          name: 'organization',
          label: people.organization,
          hint: grants.organizationHint,
          type: 'pick',
          find: findOrganizations,
        },
      ],
      submit: async (values) => {
        const organization = values.optional('organization');
        const where = organization ? `/organizations/${part(organization)}` : '';
        const role = `/applications/${part(values.text('application'))}/roles/${part(values.text('role'))}`;
        await api.put(`/v3/OS-ROLES/users/${part(user.id)}${where}${role}`);
      },
    });
    await this.#after(isDone, grants.given);
  }

  async #takeInApplication({ application_id, organization_id, role_id }: ApplicationAssignment): Promise<void> {
    const { grants } = words;
    const { user } = this.context;
    const path = `/v3/OS-ROLES/users/${part(user.id)}/organizations/${part(organization_id)}/applications/${part(application_id)}/roles/${part(role_id)}`;
    const isDone = await confirmAct({
      title: grants.take,
      text: grants.takeText(user.name, this.#roleName(role_id), this.#applications.get(application_id) ?? application_id),
      action: grants.take,
      run: () => api.delete(path),
    });
    await this.#after(isDone, grants.taken);
  }

  #roleName(id: string): string {
    return this.#roles.get(id) ?? words.grants.builtIn[id as 'provider'] ?? id;
  }

  #baseRoles(): Content {
    const { grants } = words;
    const { may, location, user } = this.context;
    if (!may('identity:list_role_assignments')) return nothing;
    const mayChange = may('identity:update_user');
    const take = (one: Assignment): Content =>
      html`<button type="button" class="second small danger" @click=${() => void this.#take(one)}>${grants.take}</button>`;
    return html`<div class="between"><h2>${grants.inOrganizations}</h2>
      ${mayChange ? html`<button type="button" class="small" @click=${() => void this.#give()}>${grants.give}</button>` : nothing}</div>
    ${table<readonly Assignment[]>({
      caption: grants.inOrganizations,
      rows: [...Map.groupBy(this.#assignments, placeOf).values()],
      key: ([first]) => placeOf(first!),
      columns: [
        { name: grants.where, isHeader: true, cell: ([first]) => scopeLink(first!.scope) },
        {
          name: grants.role,
          cell: (roles) => roleLines(roles, this.#names, (one) => (this.#mayTake(one) ? take(one) : nothing)),
        },
      ],
      empty: grants.noRoles(user.name),
    })}
    ${pager(listQuery(location), this.#next, goQuery)}`;
  }

  #applicationRoles(): Content {
    const { grants, people } = words;
    const { may, user } = this.context;
    if (!may('list_user_assignments')) return nothing;
    return html`<div class="between"><h2>${grants.inApplications}</h2>
      ${this.#mayGiveSome ? html`<button type="button" class="small" @click=${() => void this.#giveInApplication()}>${grants.giveApplicationRole}</button>` : nothing}</div>
    ${table<ApplicationAssignment>({
      caption: grants.inApplications,
      rows: this.#inApplications,
      key: (one) => Object.values(one).join(' '),
      columns: [
        { name: grants.role, isHeader: true, cell: ({ role_id: id }) => this.#roleName(id) },
        {
          name: people.application,
          cell: ({ application_id: id }) => thingLink('applications', id, this.#applications.get(id)),
        },
        {
          name: people.organization,
          cell: ({ organization_id: id }) => thingLink('projects', id, this.#organizations.get(id)),
        },
      ],
      actions: (one) =>
        this.#mayWith(one, 'remove_role_from_user')
          ? html`<button type="button" class="second small danger" @click=${() => void this.#takeInApplication(one)}>${grants.take}</button>`
          : nothing,
      empty: grants.noApplicationRoles(user.name),
    })}`;
  }

  content(): Content {
    return html`${this.#baseRoles()}${this.#applicationRoles()}`;
  }
}

/** The first applications that somebody manages tell it: most people manage none, few or all. */
const ASKED = 5;

async function mayGiveSomewhere(signal: AbortSignal): Promise<boolean> {
  for (const { value } of (await findApplications('', signal)).slice(0, ASKED))
    if ((await mayGiveRoles(value, await rolesOf(value, signal), [], signal)).person) return true;
  return false;
}

async function rolesOf(id: string, signal: AbortSignal): Promise<readonly ApplicationRole[]> {
  try {
    return (await api.get<{ roles: readonly ApplicationRole[] }>('/v3/OS-ROLES/roles', { query: { application_id: id }, signal }))
      .roles;
  } catch {
    return [];
  }
}
