/** What a sentence about something missing may name. */
export interface MissingNames {
  readonly role: string;
  readonly scope: string;
  readonly organization: string;
  readonly roles: string;
}

export const why = {
  title: 'Why?',
  intro: 'May this person do something somewhere? The answer shows the way that leads to yes, or what is missing.',
  person: 'Person',
  where: 'Where',
  places: { application: 'Application', project: 'Organization', domain: 'Domain', system: 'The whole system' },
  role: 'Role',
  roleHint: 'Empty: any role.',
  permission: 'Permission',
  permissionHint: 'Empty: any permission.',
  ask: 'Ask',
  yes: 'Yes',
  no: 'No',
  yesText: (name: string, where: string) => `${name} may, ${where}`,
  noText: (name: string, where: string) => `${name} may not, ${where}`,
  inSystem: 'in the whole system',
  inDomain: (name: string) => `in the domain ${name}`,
  inOrganization: (name: string) => `in the organization ${name}`,
  inApplication: (name: string) => `in the application ${name}`,
  pathTo: (role: string) => `The way to the role ${role}`,
  more: 'There are further ways.',
  missingTitle: 'What is missing',
  needs: (what: string) => `To sign in, the person needs: ${what}.`,
  needed: { second_factor: 'a second factor', passkey: 'a passkey' },
  openAccount: (name: string) => `Open the account of ${name}`,
  openHolders: (name: string) => `Open who holds roles of ${name}`,
  openMatrix: (name: string) => `Open the roles and permissions of ${name}`,
  openPerson: (name: string) => `Open the roles of ${name}`,
  steps: {
    group: (group: string) => `is a member of the group ${group}`,
    grant: (role: string, where: string) => `was given the role ${role} ${where}`,
    inherited: (role: string, where: string) => `was given the role ${role} ${where}, for everything below it`,
    implied: (role: string, by: string) => `the role ${by} includes ${role}`,
    organization: (name: string) => `is a member of the organization ${name}`,
    ownOrganization: (name: string) => `${name} is their own organization`,
    assignment: (role: string, organization: string) =>
      `holds the application’s role ${role} in the organization ${organization}`,
    permission: (role: string, permission: string) => `the role ${role} has the permission ${permission}`,
  },
  missing: {
    user_missing: (_: MissingNames): string => 'There is no such person.',
    user_disabled: (_: MissingNames): string => 'The account is disabled. Enable it.',
    domain_of_user_disabled: (_: MissingNames): string => 'The domain of the person is disabled. Enable it.',
    user_inactive: (_: MissingNames): string => 'The account was not used for too long. Enable it again.',
    user_not_usable: (_: MissingNames): string => 'The account cannot be used at present.',
    scope_missing: ({ scope }: MissingNames): string => `There is nothing ${scope}.`,
    scope_disabled: ({ scope }: MissingNames): string => `It is disabled: ${scope}. Enable it.`,
    domain_of_scope_disabled: ({ scope }: MissingNames): string => `Its domain is disabled: ${scope}. Enable it.`,
    no_role: ({ scope }: MissingNames): string => `The person holds no role${scope === '' ? '' : ` ${scope}`}. Give one.`,
    role_not_held: ({ role }: MissingNames): string => `The person does not hold the role ${role}. Give it.`,
    domain_role: ({ role }: MissingNames): string =>
      `${role} is a role of a domain, and only works through a role that includes it.`,
    held_elsewhere: ({ role, scope }: MissingNames): string => `The role ${role} is held ${scope} only.`,
    provider_may_not_give: ({ role, scope }: MissingNames): string =>
      `Only an identity provider gave the role ${role} ${scope}, and this provider may not make people administrators.`,
    not_a_member: ({ role, organization }: MissingNames): string =>
      `The person was given the role ${role} in the organization ${organization}, but is not a member of it. Give them a role there.`,
    organization_disabled: ({ organization }: MissingNames): string => `The organization ${organization} is disabled. Enable it.`,
    permission_not_in_roles: ({ roles }: MissingNames): string =>
      `None of the person’s roles has the permission${roles === '' ? '' : ` (${roles})`}.`,
    roles_with_permission: ({ roles }: MissingNames): string =>
      roles === '' ? 'No role has the permission yet. Tick it in the application.' : `Roles that have the permission: ${roles}.`,
  },
};
