const of = (one: string, many: string) => (count: number, text: string) => `${text} ${count === 1 ? one : many}`;

export const impact = {
  title: 'This is ended or removed with it:',
  nothing: 'Nothing else is ended or removed with it.',
  unknown: 'How much is ended or removed with it could not be counted.',
  atLeast: (count: string) => `at least ${count}`,
  /** By their names in the API. */
  counts: {
    sessions: of('session', 'sessions'),
    tokens: of('token', 'tokens'),
    role_assignments: of('role in organizations and domains', 'roles in organizations and domains'),
    application_role_assignments: of('role in applications', 'roles in applications'),
    groups: of('group', 'groups'),
    memberships: of('membership in a group', 'memberships in groups'),
    members: of('member loses what the group gives', 'members lose what the group gives'),
    passkeys: of('passkey', 'passkeys'),
    devices: of('remembered device', 'remembered devices'),
    credentials: of('credential', 'credentials'),
    issued_credentials: of('credential in a wallet is revoked', 'credentials in wallets are revoked'),
    provider_accounts: of('link to an account elsewhere', 'links to accounts elsewhere'),
    applications_managed: of('application loses a manager', 'applications lose a manager'),
    users: of('person', 'people'),
    users_by_default: of('person has it as default organization', 'people have it as default organization'),
    projects: of('organization', 'organizations'),
    roles: of('role', 'roles'),
    permissions: of('permission', 'permissions'),
    identity_providers: of('identity provider', 'identity providers'),
    connections: of('provisioning connection', 'provisioning connections'),
    invitations: of('invitation', 'invitations'),
    implications: of('implication', 'implications'),
    consents: of('consent', 'consents'),
  },
};
