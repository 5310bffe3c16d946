// Gives roles in organizations, domains and the system, and takes them away.
import { html } from 'lit';
import { confirmAct, openForm } from '../../shared/dialog.ts';
import type { FormField, FormValues } from '../../shared/form.ts';
import type { Choice } from '../../shared/pick.ts';
import { part } from '../../shared/router.ts';
import { type MayWithRow, mayWithEach } from '../allowed.ts';
import { findDomains, findGroups, findOrganizations, findPeople, findRoles } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { type Assignment, isDirect, originOf } from './origin.ts';

export interface Holder {
  readonly kind: 'users' | 'groups';
  readonly id: string;
  readonly name: string;
}

export interface Place {
  readonly kind: 'projects' | 'domains' | 'system';
  readonly id: string;
  readonly name: string;
}

/** Organizations, domains and the system in one list. Their values are parts of the paths of grants. */
async function findPlaces(text: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const { grants } = words;
  const [projects, domains] = await Promise.all([findOrganizations(text, signal), findDomains(text, signal)]);
  const isSystem = grants.system.toLowerCase().includes(text.toLowerCase()) && session.may('identity:create_domain');
  return [
    ...projects.map(({ value, ...one }) => ({ ...one, value: `projects/${part(value)}` })),
    ...domains.map(({ value, label }) => ({ value: `domains/${part(value)}`, label: `${grants.domainNamed} ${label}` })),
    ...(isSystem ? [{ value: 'system', label: grants.system }] : []),
  ];
}

const pathOf = ({ kind, id }: Place): string => (kind === 'system' ? 'system' : `${kind}/${part(id)}`);

const roleFields = (below: boolean): readonly FormField[] => [
  { name: 'role', label: words.grants.role, type: 'pick', required: true, find: findRoles },
  ...(below
    ? [
        {
          name: 'reach',
          label: words.grants.reach,
          type: 'select' as const,
          options: [
            { value: 'here', label: words.grants.here },
            { value: 'below', label: words.grants.below },
          ],
        },
      ]
    : []),
];

const placeField = (): FormField => ({
  name: 'place',
  label: words.grants.where,
  type: 'pick',
  required: true,
  find: findPlaces,
});

/** The path of the request that gives what was chosen. */
function grantPath(values: FormValues, place: string, kind: Holder['kind'], holderId: string): string {
  const isBelow = values.text('reach') === 'below' && place !== 'system';
  const grant = `${place}/${kind}/${part(holderId)}/roles/${part(values.text('role'))}`;
  return isBelow ? `/v3/OS-INHERIT/${grant}/inherited_to_projects` : `/v3/${grant}`;
}

/** Asks for a role and a place. The path of the request that gives it to a person. */
export async function chooseGrant(names: string): Promise<((userId: string) => string) | undefined> {
  let pathFor: ((userId: string) => string) | undefined;
  await openForm({
    title: words.grants.give,
    text: names,
    submitLabel: words.grants.give,
    fields: [placeField(), ...roleFields(true)],
    submit: async (values) => {
      const place = values.text('place');
      // The form is gone when it is used.
      const path = grantPath(values, place, 'users', '{user}');
      pathFor = (userId) => path.replace(part('{user}'), () => part(userId));
    },
  });
  return pathFor;
}

/** Asks for what is not known: who gets the role (then `id` is empty), and where. True when it was given. */
export function giveRole(to: Holder, at: Place | undefined): Promise<boolean> {
  const { grants } = words;
  const isGroup = to.kind === 'groups';
  const below = at?.kind !== 'system';
  return openForm({
    title: grants.giveTitle(to.name || (isGroup ? grants.aGroup : grants.aPerson), at?.name),
    submitLabel: grants.give,
    fields: [
      ...(to.id === ''
        ? [
            {
              name: 'holder',
              label: isGroup ? grants.group : grants.person,
              type: 'pick' as const,
              required: true,
              find: isGroup ? findGroups : findPeople,
            },
          ]
        : []),
      ...(at ? [] : [placeField()]),
      ...roleFields(below),
    ],
    submit: async (values) => {
      const place = at ? pathOf(at) : values.text('place');
      await api.put(grantPath(values, place, to.kind, to.id || values.text('holder')));
    },
  });
}

/** Which of these grants the person may take away. The rules look at the domains of holder and place, and at the role. */
export async function readMayTake(
  assignments: readonly Assignment[],
  signal: AbortSignal,
): Promise<(one: Assignment) => boolean> {
  const placeOf = ({ scope }: Assignment): string => (scope.project ? 'project' : scope.domain ? 'domain' : 'system');
  const may: MayWithRow<Assignment> = await mayWithEach<Assignment>(
    {
      rows: assignments.filter(isDirect),
      key: (one) =>
        [
          placeOf(one),
          one.scope.project?.domain?.id ?? one.scope.domain?.id,
          one.user ? 'user' : 'group',
          (one.user ?? one.group)?.domain?.id,
          one.role.id,
        ].join(' '),
      ids: ({ scope, user, group, role }) => ({
        role_id: role.id,
        ...(scope.project ? { project_id: scope.project.id } : scope.domain ? { domain_id: scope.domain.id } : {}),
        ...(user ? { user_id: user.id } : { group_id: group!.id }),
      }),
    },
    signal,
  );
  return (one) => isDirect(one) && may(one, placeOf(one) === 'system' ? 'identity:revoke_system_grant' : 'identity:revoke_grant');
}

/** Takes the grant away that an assignment comes from. True when it was done. */
export async function takeRole(assignment: Assignment): Promise<boolean> {
  const { grants } = words;
  const origin = originOf(assignment);
  if (!origin) return false;
  const { role, user, group, scope } = assignment;
  const holder = (user ?? group)?.name ?? '';
  const place = (scope.project ?? scope.domain)?.name ?? grants.system;
  return confirmAct({
    title: grants.take,
    text: html`<p>${grants.takeText(holder, role.name ?? role.id, place)}</p><p>${origin.isInherited ? grants.takeBelow : grants.takeImplied}</p>`,
    action: grants.take,
    run: () => api.delete(origin.path),
  });
}
