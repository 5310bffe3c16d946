const of = (one: string, many: string) => (count: number, text: string) => `${text} ${count === 1 ? one : many}`;

export const impact = {
  title: 'This is ended or removed with it:',
  nothing: 'Nothing else is ended or removed with it.',
  unknown: 'How much is ended or removed with it could not be counted.',
  moreThan: (count: string) => `more than ${count}`,
  counts: {
    sessions: of('session', 'sessions'),
    tokens: of('access token', 'access tokens'),
    passkeys: of('passkey', 'passkeys'),
    groups: of('membership in a group', 'memberships in groups'),
    roles: of('role in organizations and domains', 'roles in organizations and domains'),
    applicationRoles: of('role in applications', 'roles in applications'),
    members: of('member loses what the group gives', 'members lose what the group gives'),
    people: of('account', 'accounts'),
    allGroups: of('group', 'groups'),
    organizations: of('organization', 'organizations'),
  },
};
