// Who holds roles of an application: people, and organizations whose members then hold them.
import { html, type TemplateResult } from 'lit';
import { confirmAct, openForm } from '../../shared/dialog.ts';
import { nextMarker, pager } from '../../shared/list.ts';
import { hrefOf, type Location, part } from '../../shared/router.ts';
import { table } from '../../shared/table.ts';
import { shared } from '../../shared/words/index.ts';
import { goQuery } from '../frame.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import type { AppRole, Assignment, ListLinks } from './types.ts';

const PAGE = 50;
const ROOT = '/v3/OS-ROLES';

interface Named {
  readonly id: string;
  readonly name: string;
}

interface Holder extends Assignment {
  readonly role: string;
  readonly person: string | undefined;
  readonly organization: string;
}

export interface HoldersContent {
  readonly roles: readonly AppRole[];
  readonly people: readonly Holder[];
  readonly organizations: readonly Holder[];
  readonly marker: string | undefined;
  readonly next: string | undefined;
}

/** The name of a thing, or its id for those who may not see it. */
async function nameOf(kind: 'user' | 'project', id: string, signal: AbortSignal): Promise<string> {
  try {
    const body = await api.get<Record<string, Named>>(`/v3/${kind}s/${part(id)}`, { signal });
    return body[kind]!.name;
  } catch (error) {
    if (signal.aborted) throw error;
    return id;
  }
}

async function namesOf(kind: 'user' | 'project', ids: readonly string[], signal: AbortSignal): Promise<Map<string, string>> {
  const unique = [...new Set(ids)];
  return new Map(await Promise.all(unique.map(async (id) => [id, await nameOf(kind, id, signal)] as const)));
}

export async function readHolders(applicationId: string, { query }: Location, signal: AbortSignal): Promise<HoldersContent> {
  const marker = query.get('marker') ?? undefined;
  const filter = { application_id: applicationId, limit: PAGE };
  const [{ roles }, ofUsers, ofOrganizations] = await Promise.all([
    api.get<{ roles: AppRole[] }>(`${ROOT}/roles`, { query: { ...filter, limit: 1000 }, signal }),
    api.get<{ role_assignments: Assignment[]; links: ListLinks }>(`${ROOT}/users/role_assignments`, {
      query: { ...filter, marker },
      signal,
    }),
    api.get<{ role_assignments: Assignment[]; links: ListLinks }>(`${ROOT}/organizations/role_assignments`, {
      query: filter,
      signal,
    }),
  ]);
  const all = [...ofUsers.role_assignments, ...ofOrganizations.role_assignments];
  const [people, organizations] = await Promise.all([
    namesOf(
      'user',
      ofUsers.role_assignments.map(({ user_id }) => user_id!),
      signal,
    ),
    namesOf(
      'project',
      all.map(({ organization_id }) => organization_id),
      signal,
    ),
  ]);
  const roleNames = new Map(roles.map(({ id, name }) => [id, name]));
  const withNames = (one: Assignment): Holder => ({
    ...one,
    role: roleNames.get(one.role_id) ?? one.role_id,
    person: one.user_id && people.get(one.user_id),
    organization: organizations.get(one.organization_id) ?? one.organization_id,
  });
  return {
    roles,
    people: ofUsers.role_assignments.map(withNames),
    organizations: ofOrganizations.role_assignments.map(withNames),
    marker,
    next: nextMarker(ofUsers.links.next),
  };
}

const pathOf = (applicationId: string, { user_id, organization_id, role_id }: Assignment): string =>
  `${ROOT}${user_id ? `/users/${part(user_id)}` : ''}/organizations/${part(organization_id)}/applications/${part(applicationId)}/roles/${part(role_id)}`;

/** Finds one thing by the name or id that was typed. */
async function find(kind: 'user' | 'project', typed: string): Promise<string> {
  const byName = await api
    .get<Record<string, Named[]>>(`/v3/${kind}s`, { query: { name: typed, limit: 2 } })
    .catch(() => undefined);
  const found = byName?.[`${kind}s`] ?? [];
  return found.length === 1 ? found[0]!.id : typed;
}

async function give(applicationId: string, roles: readonly AppRole[], to: 'person' | 'organization'): Promise<boolean> {
  const { applications } = words;
  const options = roles.map(({ id, name }) => ({ value: id, label: name }));
  const mayFind = session.may('identity:list_users');
  return openForm({
    title: to === 'person' ? applications.givePerson : applications.giveOrganization,
    text: to === 'person' ? applications.givePersonText : applications.giveOrganizationText,
    fields: [
      ...(to === 'person'
        ? [{ name: 'person', label: mayFind ? applications.personNameOrId : applications.personId, required: true }]
        : []),
      {
        name: 'organization',
        label: applications.organizationNameOrId,
        required: to === 'organization',
        ...(to === 'person' ? { hint: applications.ownOrganizationHint } : {}),
      },
      { name: 'role', label: applications.role, type: 'select', required: true, options },
    ],
    submitLabel: applications.give,
    submit: async (values) => {
      const typed = values.optional('organization');
      const organization = typed === undefined ? undefined : await find('project', typed);
      const role = part(values.text('role'));
      if (to === 'organization') {
        await api.put(pathOf(applicationId, { organization_id: organization!, role_id: values.text('role') }));
        return;
      }
      const person = part(await find('user', values.text('person')));
      const within = organization === undefined ? '' : `/organizations/${part(organization)}`;
      await api.put(`${ROOT}/users/${person}${within}/applications/${part(applicationId)}/roles/${role}`);
    },
  });
}

export function holders(applicationId: string, content: HoldersContent, reload: () => void): TemplateResult {
  const { applications } = words;
  const { roles, people, organizations, marker, next } = content;
  const add = (to: 'person' | 'organization') => async () => {
    if (await give(applicationId, roles, to)) reload();
  };
  const take = async (holder: Holder): Promise<void> => {
    const who = holder.person ?? holder.organization;
    const run = () => api.delete(pathOf(applicationId, holder));
    const options = {
      title: applications.takeTitle(holder.role, who),
      text: applications.takeText(holder.person === undefined),
      action: shared.remove,
    };
    if (await confirmAct({ ...options, run })) reload();
  };
  const remove = (holder: Holder): TemplateResult =>
    html`<button type="button" class="second small danger" aria-label=${applications.takeTitle(holder.role, holder.person ?? holder.organization)} @click=${() => void take(holder)}>${shared.remove}</button>`;
  const key = (one: Holder): string => `${one.user_id ?? ''} ${one.organization_id} ${one.role_id}`;
  return html`<section>
      <div class="between"><h2>${applications.people}</h2><button type="button" ?disabled=${roles.length === 0} @click=${add('person')}>${applications.givePerson}</button></div>
      ${table<Holder>({
        caption: applications.people,
        rows: people,
        key,
        columns: [
          {
            name: applications.person,
            isHeader: true,
            cell: ({ user_id, person }) => html`<a href=${hrefOf(`/people/${part(user_id!)}`)}>${person}</a>`,
          },
          { name: applications.role, cell: ({ role }) => role },
          { name: applications.inOrganization, cell: ({ organization }) => organization },
        ],
        actions: remove,
        empty: roles.length === 0 ? applications.noRolesYet : applications.nobody,
      })}
      ${pager({ search: undefined, sort: undefined, marker }, next, goQuery)}
    </section>
    <section>
      <div class="between"><h2>${applications.organizations}</h2><button type="button" ?disabled=${roles.length === 0} @click=${add('organization')}>${applications.giveOrganization}</button></div>
      ${table<Holder>({
        caption: applications.organizations,
        rows: organizations,
        key,
        columns: [
          { name: applications.organization, isHeader: true, cell: ({ organization }) => organization },
          { name: applications.role, cell: ({ role }) => role },
        ],
        actions: remove,
        empty: applications.noOrganization,
      })}
    </section>`;
}
