// Every screen and tab of the console, with the acts that each has, and the rule and the request behind each act.
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import { type Act, any, type ConsoleScreen, type ConsoleWorld } from './console-acts.ts';
import { applicationCredentialActs, credentialScreens } from './console-credential-screens.ts';
import { groupScreens } from './console-group-screens.ts';
import { peopleScreens, personScreens } from './console-person-screens.ts';
import { providerScreens } from './console-provider-screens.ts';
import { serviceScreens } from './console-service-screens.ts';
import type { Ids } from './every-route.ts';
import { LOGO } from './pictures.ts';

const { people, organizations, domainSettings, look, grants, apis, applications, selfRegistration, audit, why, trySignIn } =
  words;

function apiScreen({ nouns: { api } }: ConsoleWorld): ConsoleScreen {
  const ids = { api_id: api.id };
  const path = `/v3/OS-OAUTH2/apis/${api.id}`;
  const change = { rule: 'identity:update_api', ids };
  return {
    route: '/apis/:id',
    path: `/apis/${api.id}`,
    opens: ['identity:get_api'],
    ids,
    acts: [
      { name: apis.change, ...change, request: ['PATCH', path, { api: { name: 'x' } }] },
      { name: apis.addScope, ...change },
      { name: apis.addExchange, ...change },
      { name: apis.changeScopeTitle(api.scopes[0].name), ...change },
      { name: apis.removeScopeTitle(api.scopes[0].name), ...change },
      { name: apis.delete, rule: 'identity:delete_api', ids, request: ['DELETE', path] },
    ],
  };
}

function listScreens(world: ConsoleWorld): ConsoleScreen[] {
  return [
    { route: '/', path: '/', acts: [] },
    ...peopleScreens(world),
    {
      route: '/groups',
      path: '/groups',
      opens: ['identity:list_groups'],
      acts: [
        {
          name: organizations.newGroup,
          rule: 'identity:create_group',
          request: ['POST', '/v3/groups', { group: { name: 'x' } }],
        },
      ],
    },
    ...['', '?tab=tree'].map((tab) => ({
      route: '/organizations',
      path: `/organizations${tab}`,
      opens: ['identity:list_projects'],
      acts: [
        {
          name: organizations.newOrganization,
          rule: 'identity:create_project',
          request: ['POST', '/v3/projects', { project: { name: 'x' } }] as const,
        },
      ],
    })),
    {
      route: '/domains',
      path: '/domains',
      opens: ['identity:list_domains'],
      acts: [
        {
          name: organizations.newDomain,
          rule: 'identity:create_domain',
          request: ['POST', '/v3/domains', { domain: { name: 'x' } }],
        },
      ],
    },
    {
      route: '/applications',
      path: '/applications',
      opens: ['list_consumers'],
      acts: [{ name: applications.create, rule: 'create_consumer' }],
    },
    { route: '/applications/new', path: '/applications/new', acts: [] },
    {
      route: '/apis',
      path: '/apis',
      opens: ['identity:list_apis'],
      acts: [{ name: apis.create, rule: 'identity:create_api' }],
    },
    apiScreen(world),
    registeredScreen(world),
    { route: '/try/:id', path: '/try/x', acts: [] },
    {
      route: '/why',
      path: '/why',
      acts: [{ name: why.ask, rule: 'identity:get_allowed' }],
    },
    {
      route: '/audit',
      path: '/audit',
      opens: ['identity:list_audit_events'],
      acts: ['CSV', 'JSON', audit.apply, audit.clear, audit.copyLink, ...Object.values(audit.periods)].map((name) => ({
        name,
        rule: 'identity:list_audit_events',
      })),
    },
  ];
}

function registeredScreen({ registered, registrationToken, domain }: ConsoleWorld): ConsoleScreen {
  const [rule, tokens] = ['identity:manage_registered_applications', 'identity:manage_registration_tokens'];
  const path = `/v3/OS-OAUTH2/registered_applications/${registered.id}`;
  const token = { name: 'x', domain_id: domain.id };
  return {
    route: '/applications/registered',
    path: '/applications/registered',
    opens: [rule],
    acts: [
      {
        name: selfRegistration.newToken,
        rule: tokens,
        request: ['POST', '/v3/OS-OAUTH2/registration_tokens', { registration_token: token }],
      },
      { name: selfRegistration.keepTitle(registered.name), rule, request: ['POST', `${path}/keep`, {}] },
      { name: selfRegistration.removeTitle(registered.name), rule, request: ['DELETE', path] },
      {
        name: selfRegistration.endTitle(registrationToken.name),
        rule: tokens,
        request: ['DELETE', `/v3/OS-OAUTH2/registration_tokens/${registrationToken.id}`],
      },
    ],
  };
}

function placeScreens(world: ConsoleWorld, kind: 'project' | 'domain'): ConsoleScreen[] {
  const { user, member, group } = world;
  const place = world[kind] as { id: string; name: string };
  const ids: Ids = { [`${kind}_id`]: place.id };
  const path = `/v3/${kind}s/${place.id}`;
  const [screen, route] = kind === 'project' ? ['/organizations', '/organizations/:id'] : (['/domains', '/domains/:id'] as const);
  const patch = ['PATCH', path, { [kind]: { description: 'x' } }] as const;
  const grant = (holder: string): readonly [string, string] => ['PUT', `${path}/${holder}/roles/${member}`];
  const ofUser = { ...ids, user_id: user.id, role_id: member };
  const ofGroup = { ...ids, group_id: group.id, role_id: member };
  const heading: Act[] = [
    { name: people.disable, rule: `identity:update_${kind}`, ids, request: patch },
    { name: people.delete, rule: `identity:delete_${kind}`, ids, request: ['DELETE', path] },
    ...(kind === 'project'
      ? [{ name: people.invite, rule: 'identity:create_invitation' }]
      : [{ name: people.title, rule: 'identity:list_users' }]),
  ];
  const below: Act = {
    name: organizations.newBelow(place.name),
    rule: 'identity:create_project',
    ids: { domain_id: world.domain.id },
    request: ['POST', '/v3/projects', { project: { name: 'x', parent_id: place.id, domain_id: world.domain.id } }],
  };
  const lookPath = `/v3/OS-SERVICE/domains/${place.id}/look`;
  // Managers may, if administrators leave it to them; here they do not.
  const ofAdministrators = { rule: 'identity:update_domain_config', ids };
  const settings: Record<string, Act[]> = {
    'sign-in': [{ name: texts.save, ...ofAdministrators }],
    look: [
      { name: texts.save, ...ofAdministrators },
      ...(['logo', 'favicon'] as const).map((kind) => ({
        name: look.pictures[kind].save,
        ...ofAdministrators,
        request: ['PUT', `${lookPath}/${kind}`, { picture: LOGO.logo }] as const,
      })),
    ],
    directory: [
      { name: texts.save, rule: 'identity:update_domain_settings', ids },
      { name: domainSettings.connect, rule: 'identity:update_domain_settings', ids },
      {
        name: domainSettings.try,
        rule: 'identity:test_directory',
        ids,
        request: ['POST', `/v3/OS-SERVICE/domains/${place.id}/directory/test`, { test: { settings: {} } }],
      },
    ],
  };
  const tabs: Record<string, Act[]> = {
    members: [],
    roles: [
      { name: grants.giveToPerson, rule: 'identity:create_grant', ids: ofUser, request: grant(`users/${user.id}`) },
      { name: grants.giveToGroup, rule: 'identity:create_grant', ids: ofGroup, request: grant(`groups/${group.id}`) },
      { name: grants.take, row: user.name, rule: 'identity:revoke_grant', ids: ofUser },
      { name: grants.take, row: group.name, rule: 'identity:revoke_grant', ids: ofGroup },
      ...(kind === 'project'
        ? [
            {
              name: grants.take,
              row: world.customRole.name,
              rule: 'identity:revoke_grant',
              ids: { ...ofUser, role_id: world.customRole.id },
            },
          ]
        : []),
    ],
    [kind === 'project' ? 'below' : 'organizations']: [below],
    settings: [{ name: texts.save, rule: `identity:update_${kind}`, ids, request: patch }],
    ...(kind === 'domain' ? settings : {}),
  };
  const needs: Readonly<Record<string, string[]>> = {
    members: ['identity:list_role_assignments'],
    roles: ['identity:list_role_assignments'],
    below: ['identity:list_projects'],
    organizations: ['identity:list_projects'],
    'sign-in': ['identity:list_domain_settings'],
    look: ['identity:list_domain_settings'],
    directory: ['identity:get_directory'],
  };
  return Object.entries(tabs).map(([tab, acts]) => ({
    route,
    path: `${screen}/${place.id}?tab=${tab}`,
    opens: [`identity:get_${kind}`],
    needs: needs[tab] ?? [],
    ids,
    acts: [...heading, ...acts],
  }));
}

const NEEDS: Readonly<Record<string, readonly string[]>> = {
  roles: ['list_roles', 'list_permissions'],
  people: ['list_user_assignments', 'list_organization_assignments'],
  access: ['list_consumer_grants'],
  credentials: ['list_issued_credentials'],
  try: ['try_consumer_sign_in'],
};

function applicationScreens(world: ConsoleWorld): ConsoleScreen[] {
  const { application, role, permission, user, project } = world;
  const ids = { application_id: application.id };
  const path = `/v3/OS-OAUTH2/consumers/${application.id}`;
  const link = `/v3/OS-ROLES/roles/${role.id}/permissions/${permission.id}`;
  const held = `/applications/${application.id}/roles/${role.id}`;
  const ofOrganization = { ...ids, role_id: role.id, project_id: project.id };
  const ofUser = { ...ofOrganization, user_id: user.id };
  const heading: Act[] = [
    { name: applications.newSecret, rule: 'rotate_consumer_secret', ids, request: ['POST', `${path}/secret`, {}] },
    { name: applications.remove, rule: 'delete_consumer', ids, request: ['DELETE', path] },
  ];
  const tabs: Record<string, Act[]> = {
    settings: [
      { name: texts.save, rule: 'update_consumer', ids, request: ['PATCH', path, { consumer: { description: 'x' } }] },
      { name: applications.logoChoose, rule: 'update_consumer', ids, request: ['PUT', `${path}/logo`, LOGO] },
      { name: applications.logoRemove, rule: 'update_consumer', ids, request: ['DELETE', `${path}/logo`] },
    ],
    roles: [
      {
        name: applications.newRole,
        rule: 'create_role',
        ids,
        request: ['POST', '/v3/OS-ROLES/roles', { role: { name: 'x', application_id: application.id } }],
      },
      {
        name: applications.newPermission,
        rule: 'create_permission',
        ids,
        request: ['POST', '/v3/OS-ROLES/permissions', { permission: { name: 'x', application_id: application.id } }],
      },
      { name: any(applications.removeRole), rule: 'delete_role', ids: { ...ids, role_id: role.id } },
      {
        name: applications.removePermission(permission.name),
        rule: 'delete_permission',
        ids: { ...ids, permission_id: permission.id },
      },
      {
        name: any(applications.cell),
        rule: 'remove_permission_from_role',
        ids: { ...ids, role_id: role.id, permission_id: permission.id },
        request: ['DELETE', link],
      },
    ],
    people: [
      { name: people.invite, rule: 'identity:create_invitation' },
      { name: applications.givePerson, rule: 'add_role_to_user', ids: ofUser },
      { name: applications.giveOrganization, rule: 'add_role_to_organization', ids: ofOrganization },
      {
        // With ids for those who see no names.
        name: any(applications.whyOf),
        rule: 'explain_permissions',
        ids: { ...ids, user_id: user.id },
        request: ['GET', `/v3/OS-ROLES/users/${user.id}/applications/${application.id}/explanation`],
      },
      {
        // Owners of applications may not see people and organizations, and do not know their names.
        name: new RegExp(applications.takeTitle(role.name, `(${user.name}|${user.id})`)),
        rule: 'remove_role_from_user',
        ids: ofUser,
        request: ['DELETE', `/v3/OS-ROLES/users/${user.id}/organizations/${project.id}${held}`],
      },
      {
        name: new RegExp(applications.takeTitle(role.name, `(${project.name}|${project.id})`)),
        rule: 'remove_role_from_organization',
        ids: ofOrganization,
        request: ['DELETE', `/v3/OS-ROLES/organizations/${project.id}${held}`],
      },
    ],
    access: [
      { name: any(applications.endAccessTitle), row: applications.endAccess, rule: 'end_consumer_grant', ids },
      { name: applications.endAllAccess, rule: 'end_consumer_grant', ids, request: ['DELETE', `${path}/grants`] },
    ],
    credentials: applicationCredentialActs(world),
    start: [],
    try: [{ name: trySignIn.begin, rule: 'try_consumer_sign_in', ids, request: ['POST', `${path}/sign-in-attempts`, {}] }],
  };
  tabs.people!.push({
    name: any(applications.takeTitle),
    row: grants.builtIn.provider,
    rule: 'remove_role_from_user',
    ids: { ...ofUser, role_id: 'provider' },
  });
  return Object.entries(tabs).map(([tab, acts]) => ({
    route: '/applications/:id',
    path: `/applications/${application.id}${tab === 'settings' ? '' : `?tab=${tab}`}`,
    opens: ['get_consumer'],
    needs: NEEDS[tab] ?? [],
    ids,
    acts: [...heading, ...acts],
  }));
}

/** All of them, about the things of a world; and those about the caller themselves. */
export const consoleScreens = (world: ConsoleWorld, caller: { id: string; name: string }): readonly ConsoleScreen[] => [
  ...listScreens(world),
  ...personScreens({ id: world.user.id, name: world.user.name }, world, false),
  ...personScreens(caller, world, true),
  ...groupScreens(world),
  ...placeScreens(world, 'project'),
  ...placeScreens(world, 'domain'),
  ...applicationScreens(world),
  ...credentialScreens(world),
  ...providerScreens(world),
  ...serviceScreens(world),
];
