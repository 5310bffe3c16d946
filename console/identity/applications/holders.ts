// Who holds roles of an application: people, and organizations whose members then hold them.
import { html, nothing, type TemplateResult } from 'lit';
import { confirmAct, openForm } from '../../shared/dialog.ts';
import type { FormField } from '../../shared/form.ts';
import { type ListQuery, listQuery, nextMarker, pager } from '../../shared/list.ts';
import { hrefOf, type Location, part } from '../../shared/router.ts';
import { table } from '../../shared/table.ts';
import { shared } from '../../shared/words/index.ts';
import { type MayGive, type MayWithRow, mayGiveRoles, mayWithEach } from '../allowed.ts';
import { goQuery } from '../frame.ts';
import { invite } from '../people/invite.ts';
import { BUILT_IN_ROLES, findApplicationRoles, findOrganizations, findPeople, namesOf, thingLink } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import type { AppRole, Assignment, ListLinks } from './types.ts';

const PAGE = 50;
/** Of the organizations in the address, beside the people. */
const OF_ORGANIZATIONS = 'organizations-';
const ROOT = '/v3/OS-ROLES';

/** The roles that every application has are known by their ids. */
const builtInName = (id: string): string | undefined =>
  BUILT_IN_ROLES.some((one) => one === id) ? words.grants.builtIn[id as (typeof BUILT_IN_ROLES)[number]] : undefined;

interface Holder extends Assignment {
  readonly role: string;
  readonly person: string | undefined;
  readonly organization: string;
}

export interface HoldersContent {
  readonly people: readonly Holder[];
  readonly organizations: readonly Holder[];
  /** Of the people, and of the organizations. */
  readonly pages: Readonly<Record<'people' | 'organizations', { readonly query: ListQuery; readonly next: string | undefined }>>;
  readonly mayTake: MayWithRow<Assignment>;
  /** To whom the person may give at least one role of the application. */
  readonly mayGive: MayGive;
}

export async function readHolders(
  applicationId: string,
  location: Location,
  may: (rule: string) => boolean,
  signal: AbortSignal,
): Promise<HoldersContent> {
  const [ofPeople, ofPlaces] = [listQuery(location), listQuery(location, OF_ORGANIZATIONS)];
  const filter = { application_id: applicationId, limit: PAGE };
  const [{ roles }, ofUsers, ofOrganizations] = await Promise.all([
    may('list_roles')
      ? api.get<{ roles: AppRole[] }>(`${ROOT}/roles`, { query: { ...filter, limit: 1000 }, signal })
      : { roles: [] as AppRole[] },
    api.get<{ role_assignments: Assignment[]; links: ListLinks }>(`${ROOT}/users/role_assignments`, {
      query: { ...filter, marker: ofPeople.marker },
      signal,
    }),
    api.get<{ role_assignments: Assignment[]; links: ListLinks }>(`${ROOT}/organizations/role_assignments`, {
      query: { ...filter, marker: ofPlaces.marker },
      signal,
    }),
  ]);
  const all = [...ofUsers.role_assignments, ...ofOrganizations.role_assignments];
  const [people, organizations, mayTake, mayGive] = await Promise.all([
    namesOf(
      'users',
      ofUsers.role_assignments.map(({ user_id }) => user_id!),
      signal,
    ),
    namesOf(
      'projects',
      all.map(({ organization_id }) => organization_id),
      signal,
    ),
    mayWithEach<Assignment>(
      {
        rows: all,
        key: ({ user_id, organization_id, role_id }) => `${user_id === undefined} ${organization_id} ${role_id}`,
        ids: ({ user_id, organization_id, role_id }) => ({
          application_id: applicationId,
          project_id: organization_id,
          role_id,
          ...(user_id ? { user_id } : {}),
        }),
      },
      signal,
    ),
    mayGiveRoles(
      applicationId,
      roles,
      ofUsers.role_assignments.filter(({ user_id }) => user_id === session.person.id).map(({ role_id }) => role_id),
      signal,
    ),
  ]);
  const roleNames = new Map(roles.map(({ id, name }) => [id, name]));
  const withNames = (one: Assignment): Holder => ({
    ...one,
    role: roleNames.get(one.role_id) ?? builtInName(one.role_id) ?? one.role_id,
    person: one.user_id && people.get(one.user_id),
    organization: organizations.get(one.organization_id) ?? one.organization_id,
  });
  return {
    people: ofUsers.role_assignments.map(withNames),
    organizations: ofOrganizations.role_assignments.map(withNames),
    pages: {
      people: { query: ofPeople, next: nextMarker(ofUsers.links.next) },
      organizations: { query: ofPlaces, next: nextMarker(ofOrganizations.links.next) },
    },
    mayTake,
    mayGive,
  };
}

const nameOf = ({ person, user_id, organization }: Holder): string => person ?? user_id ?? organization;

const pathOf = (applicationId: string, { user_id, organization_id, role_id }: Assignment): string =>
  `${ROOT}${user_id ? `/users/${part(user_id)}` : ''}/organizations/${part(organization_id)}/applications/${part(applicationId)}/roles/${part(role_id)}`;

/** A field to find a thing by its name; for those who may not list such things: to enter its id. */
function thingField(name: string, label: string, find: FormField['find'], mayFind: boolean, required: boolean): FormField {
  return mayFind
    ? { name, label, type: 'pick', required, ...(find ? { find } : {}) }
    : { name, label: words.applications.idOf(label), required };
}

async function askToGive(applicationId: string, to: 'person' | 'organization'): Promise<boolean> {
  const { applications } = words;
  const isPerson = to === 'person';
  const person = thingField('person', applications.person, findPeople, session.may('identity:list_users'), true);
  const mayFind = session.may('identity:list_projects');
  const organization = thingField('organization', applications.organization, findOrganizations, mayFind, !isPerson);
  return openForm({
    title: isPerson ? applications.givePerson : applications.giveOrganization,
    text: isPerson ? applications.givePersonText : applications.giveOrganizationText,
    fields: [
      ...(isPerson ? [person] : []),
      { ...organization, ...(isPerson ? { hint: applications.ownOrganizationHint } : {}) },
      {
        name: 'role',
        label: applications.role,
        type: 'pick',
        required: true,
        find: (text, signal) => findApplicationRoles(applicationId, text, signal),
      },
    ],
    submitLabel: applications.give,
    submit: async (values) => {
      const within = values.optional('organization') ? `/organizations/${part(values.text('organization'))}` : '';
      const who = isPerson ? `/users/${part(values.text('person'))}` : '';
      await api.put(`${ROOT}${who}${within}/applications/${part(applicationId)}/roles/${part(values.text('role'))}`);
    },
  });
}

export function holders(applicationId: string, content: HoldersContent, reload: () => void): TemplateResult {
  const { applications } = words;
  const { people, organizations, pages, mayTake, mayGive } = content;
  const add = (to: 'person' | 'organization') => async () => {
    if (await askToGive(applicationId, to)) reload();
  };
  const take = async (holder: Holder): Promise<void> => {
    const who = nameOf(holder);
    const run = () => api.delete(pathOf(applicationId, holder));
    const options = {
      title: applications.takeTitle(holder.role, who),
      text: applications.takeText(holder.user_id === undefined),
      action: shared.remove,
    };
    if (await confirmAct({ ...options, run })) reload();
  };
  const remove = (holder: Holder): TemplateResult | typeof nothing =>
    mayTake(holder, holder.user_id ? 'remove_role_from_user' : 'remove_role_from_organization')
      ? html`<button type="button" class="second small danger" aria-label=${applications.takeTitle(holder.role, nameOf(holder))} @click=${() => void take(holder)}>${shared.remove}</button>`
      : nothing;
  const ask = (holder: Holder): TemplateResult | typeof nothing => {
    if (holder.user_id === undefined || !mayTake(holder, 'explain_permissions')) return nothing;
    const question = { user_id: holder.user_id, place: 'application', place_id: applicationId, role_id: holder.role_id };
    return html`<a class="button second small" href=${hrefOf('/why', question)} aria-label=${applications.whyOf(nameOf(holder), holder.role)}>${words.why.title}</a>`;
  };
  const give = (to: 'person' | 'organization', label: string, look = ''): TemplateResult | typeof nothing =>
    mayGive[to] ? html`<button type="button" class=${look} @click=${add(to)}>${label}</button>` : nothing;
  const key = (one: Holder): string => `${one.user_id ?? ''} ${one.organization_id} ${one.role_id}`;
  return html`<section>
      <div class="between"><h2>${applications.people}</h2><div class="actions">
        ${session.may('identity:create_invitation') ? html`<button type="button" class="second" @click=${() => void invite({ toApplication: applicationId })}>${words.people.invite}</button>` : nothing}
        ${give('person', applications.givePerson)}</div></div>
      ${table<Holder>({
        caption: applications.people,
        rows: people,
        key,
        columns: [
          {
            name: applications.person,
            isHeader: true,
            cell: ({ user_id, person }) => thingLink('users', user_id!, person),
          },
          { name: applications.role, cell: ({ role }) => role },
          { name: applications.inOrganization, cell: ({ organization }) => organization },
        ],
        actions: (holder) => html`${ask(holder)} ${remove(holder)}`,
        empty: applications.nobody,
      })}
      ${pager(pages.people.query, pages.people.next, goQuery)}
    </section>
    <section>
      <div class="between"><h2>${applications.organizations}</h2>${give('organization', applications.giveOrganization, 'second')}</div>
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
      ${pager(pages.organizations.query, pages.organizations.next, goQuery, OF_ORGANIZATIONS)}
    </section>`;
}
