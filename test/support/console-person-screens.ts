// The tabs of a person in the console, with their acts.
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import { type Act, type ConsoleScreen, type ConsoleWorld, choosing } from './console-acts.ts';
import { issuedActs } from './console-credential-screens.ts';

const { people, grants } = words;

export function personScreens(person: { id: string; name: string }, world: ConsoleWorld, isSelf: boolean): ConsoleScreen[] {
  const ids = { user_id: person.id };
  const path = `/v3/users/${person.id}`;
  const patch = ['PATCH', path, { user: { description: 'changed' } }] as const;
  const { project, group, member, application, role, customRole } = world;
  const grantIds = { user_id: person.id, project_id: project.id, role_id: member };
  const grant = (roleId: string) => `/v3/projects/${project.id}/users/${person.id}/roles/${roleId}`;
  const heading: Act[] = [
    { name: people.why, rule: 'identity:list_role_assignments', ids },
    { name: people.disable, rule: 'identity:update_user', ids, request: patch },
    { name: people.delete, rule: 'identity:delete_user', ids, request: ['DELETE', path] },
  ];
  const membership = { user_id: person.id, group_id: group.id };
  const inApplication = { user_id: person.id, application_id: application.id, role_id: role.id, project_id: project.id };
  const assignment = `/v3/OS-ROLES/users/${person.id}/organizations/${project.id}/applications/${application.id}/roles/${role.id}`;
  const tab = (id: string, opens: readonly string[], acts: readonly Act[] = []): ConsoleScreen => ({
    route: '/people/:id',
    path: `/people/${person.id}?tab=${id}`,
    ...(opens.length === 0 ? {} : { opens }),
    needs: ['identity:get_user'],
    ids,
    acts: [...heading, ...acts],
  });
  const others: Act[] = [
    {
      name: `${people.remove} ${group.name}`,
      rule: 'identity:remove_user_from_group',
      ids: membership,
      request: ['DELETE', `/v3/groups/${group.id}/users/${person.id}`],
    },
  ];
  const adminActs: Act[] = [
    { name: grants.take, row: 'member', rule: 'identity:revoke_grant', ids: grantIds, request: ['DELETE', grant(member)] },
    {
      name: grants.take,
      row: customRole.name,
      rule: 'identity:revoke_grant',
      ids: { ...grantIds, role_id: customRole.id },
      request: ['DELETE', grant(customRole.id)],
    },
    { name: grants.take, row: role.name, rule: 'remove_role_from_user', ids: inApplication, request: ['DELETE', assignment] },
  ];
  const ownRoles: Act[] = [
    { name: grants.take, row: 'admin', rule: 'identity:revoke_system_grant', ids: { user_id: person.id, role_id: member } },
    {
      name: grants.take,
      row: grants.builtIn.provider,
      rule: 'remove_role_from_user',
      ids: { ...inApplication, role_id: 'provider' },
    },
  ];
  return [
    tab('overview', [], [{ name: texts.save, rule: 'identity:update_user', ids, request: patch }]),
    tab(
      'sign-in',
      [
        'identity:update_user',
        'identity:get_user_lock',
        'identity:preview_sign_in',
        'is_two_factor_auth_enabled',
        'list_passkeys',
        'list_devices',
      ],
      [
        { name: texts.save, rule: 'identity:update_user', ids, request: patch },
        { name: people.setPassword, rule: 'identity:update_user', ids, request: ['PATCH', path, { user: { password: 'x' } }] },
        { name: people.expirePassword, rule: 'identity:expire_password', ids, request: ['POST', `${path}/OS-PASSWORD/expire`] },
        ...(isSelf
          ? []
          : [
              {
                name: people.unlock,
                row: people.lockedOut,
                rule: 'identity:unlock_user',
                ids,
                request: ['DELETE', `${path}/OS-LOCK/lock`] as const,
              },
              {
                name: people.resetFactor,
                rule: 'disable_two_factor_auth',
                ids,
                request: ['DELETE', `${path}/OS-TWO-FACTOR/two_factor_auth`] as const,
              },
            ]),
      ],
    ),
    tab(
      'sessions',
      ['identity:list_user_sessions', 'access_tokens'],
      isSelf
        ? [
            { name: people.endSessions, rule: 'identity:end_user_sessions', ids },
            { name: people.endSession, rule: 'identity:end_user_sessions', ids },
          ]
        : // Of the wallet that got their credential.
          [{ name: people.endToken, rule: 'access_tokens', ids }],
    ),
    tab(
      'access',
      ['identity:list_delegated_access'],
      [
        {
          name: people.endAllDelegated,
          rule: 'identity:end_delegated_access',
          ids,
          request: ['DELETE', `${path}/OS-DELEGATED/access`],
        },
        ...(isSelf ? [] : [{ name: new RegExp(`^${people.endDelegated}: `), rule: 'identity:end_delegated_access', ids }]),
      ],
    ),
    tab(
      'groups',
      ['identity:list_groups_for_user'],
      [
        {
          name: people.addToGroup,
          rule: 'identity:add_user_to_group',
          // Whoever may add the people of the domain may add this one.
          ids: { user_id: isSelf ? person.id : world.user.id, group_id: group.id },
        },
        ...(isSelf ? [] : others),
      ],
    ),
    tab(
      'roles',
      ['identity:list_role_assignments', 'list_user_assignments'],
      [
        { name: grants.give, rule: 'identity:create_grant', ids: grantIds, request: ['PUT', grant(member)] },
        { name: grants.giveApplicationRole, rule: 'add_role_to_user', ids: inApplication, request: ['PUT', assignment] },
        ...(isSelf ? ownRoles : adminActs),
      ],
    ),
    tab('credentials', ['list_issued_credentials'], isSelf ? [] : issuedActs(world)),
    tab('history', ['identity:list_audit_events']),
  ];
}

/** The lists of people, invitations, registrations and deletions. */
export function peopleScreens({ leaver, waiting, invitation }: ConsoleWorld): ConsoleScreen[] {
  const invite: Act = {
    name: people.invite,
    rule: 'identity:create_invitation',
    request: ['POST', '/v3/OS-REGISTRATION/invitations', { invitation: { email: 'x@example.org' } }],
  };
  const user = ['POST', '/v3/users', { user: { name: 'x' } }] as const;
  const oneInvitation = { invitation_id: invitation.id };
  const invitationPath = `/v3/OS-REGISTRATION/invitations/${invitation.id}`;
  return [
    {
      route: '/people',
      path: '/people',
      opens: ['identity:list_users'],
      acts: [
        invite,
        { name: people.create, rule: 'identity:create_user', request: user },
        { name: people.importList, rule: 'identity:create_user' },
        ...choosing('identity:create_user'),
      ],
    },
    {
      route: '/people/invitations',
      path: '/people/invitations',
      opens: ['identity:list_invitations'],
      acts: [
        invite,
        {
          name: people.resend,
          rule: 'identity:create_invitation',
          ids: oneInvitation,
          request: ['POST', `${invitationPath}/resend`],
        },
        ...choosing('identity:create_invitation'),
        { name: people.withdraw, rule: 'identity:withdraw_invitation', ids: oneInvitation, request: ['DELETE', invitationPath] },
      ],
    },
    {
      route: '/people/waiting',
      path: '/people/waiting',
      opens: ['identity:list_waiting_registrations'],
      acts: [
        ...choosing('identity:approve_registration', { user_id: waiting.id }),
        {
          name: people.waiting.approve,
          row: waiting.name,
          rule: 'identity:approve_registration',
          ids: { user_id: waiting.id },
          request: ['POST', `/v3/OS-REGISTRATION/waiting/${waiting.id}/approve`],
        },
        {
          name: people.waiting.refuse,
          row: waiting.name,
          rule: 'identity:refuse_registration',
          ids: { user_id: waiting.id },
          request: ['POST', `/v3/OS-REGISTRATION/waiting/${waiting.id}/refuse`, { refusal: {} }],
        },
      ],
    },
    { route: '/people/import', path: '/people/import', acts: [{ name: people.checkList, rule: 'identity:get_allowed' }] },
    {
      route: '/people/deletions',
      path: '/people/deletions',
      opens: ['identity:list_account_deletions'],
      acts: [
        {
          name: people.keep,
          row: leaver.name,
          rule: 'identity:cancel_account_deletion',
          ids: { user_id: leaver.id },
          request: ['DELETE', `/v3/users/${leaver.id}/OS-ACCOUNT/deletion`],
        },
      ],
    },
  ];
}
