// The calls of Keyrock's client library (python-keystoneclient with extensions for roles and OAuth2), exactly as it sends them: it omits
// None, adds `redirect_uris: []`, `scopes: []` and `is_internal: false` also to updates, and sends PUTs without a body.

export interface ClientCall {
  /** The name of the call in the library. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'HEAD';
  /** `{name}` is an id from an earlier answer, or one that the replay starts with. */
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
  /** The key of the answer that the library unwraps; none if it expects an empty answer. */
  readonly unwraps?: string;
  /** Stores fields of the unwrapped answer for later calls: from name to field. */
  readonly learns?: Readonly<Record<string, string>>;
}

const O = '/v3/OS-OAUTH2';
const R = '/v3/OS-ROLES';

const consumers: readonly ClientCall[] = [
  {
    name: 'oauth2.consumers.create',
    method: 'POST',
    path: `${O}/consumers`,
    body: {
      consumer: {
        name: 'Test consumer',
        description: 'My new consumer',
        client_type: 'confidential',
        redirect_uris: ['https://app.example.org/callback'],
        grant_type: 'authorization_code',
        scopes: ['all_info'],
        url: 'https://app.example.org',
        img_small: '/static/dashboard/img/logos/small/app.png',
        img_medium: '/static/dashboard/img/logos/medium/app.png',
        img_original: '/static/dashboard/img/logos/original/app.png',
      },
    },
    status: 200,
    unwraps: 'consumer',
    learns: { application: 'id' },
  },
  {
    name: 'oauth2.consumers.create, name only',
    method: 'POST',
    path: `${O}/consumers`,
    body: { consumer: { name: 'Bare', redirect_uris: [], scopes: [] } },
    status: 200,
    unwraps: 'consumer',
    learns: { bare: 'id' },
  },
  { name: 'oauth2.consumers.get', method: 'GET', path: `${O}/consumers/{application}`, status: 200, unwraps: 'consumer' },
  { name: 'oauth2.consumers.list', method: 'GET', path: `${O}/consumers`, status: 200, unwraps: 'consumers' },
  {
    name: 'oauth2.consumers.update',
    method: 'PATCH',
    path: `${O}/consumers/{application}`,
    body: { consumer: { description: 'changed', redirect_uris: [], scopes: [] } },
    status: 200,
    unwraps: 'consumer',
  },
  { name: 'oauth2.consumers.delete', method: 'DELETE', path: `${O}/consumers/{bare}`, status: 204 },
];

const roles: readonly ClientCall[] = [
  {
    name: 'fiware_roles.roles.create',
    method: 'POST',
    path: `${R}/roles`,
    body: { role: { name: 'Trader', is_internal: false, application_id: '{application}' } },
    status: 200,
    unwraps: 'role',
    learns: { role: 'id' },
  },
  {
    name: 'fiware_roles.roles.create, another',
    method: 'POST',
    path: `${R}/roles`,
    body: { role: { name: 'Seller', is_internal: false, application_id: '{application}' } },
    status: 200,
    unwraps: 'role',
    learns: { doomed: 'id' },
  },
  { name: 'fiware_roles.roles.get', method: 'GET', path: `${R}/roles/{role}`, status: 200, unwraps: 'role' },
  {
    name: 'fiware_roles.roles.list',
    method: 'GET',
    path: `${R}/roles?application_id={application}`,
    status: 200,
    unwraps: 'roles',
  },
  {
    name: 'fiware_roles.roles.list, internal',
    method: 'GET',
    path: `${R}/roles?is_internal=True`,
    status: 200,
    unwraps: 'roles',
  },
  {
    name: 'fiware_roles.roles.update',
    method: 'PATCH',
    path: `${R}/roles/{role}`,
    body: { role: { name: 'Buyer', is_internal: false } },
    status: 200,
    unwraps: 'role',
  },
  { name: 'fiware_roles.roles.delete', method: 'DELETE', path: `${R}/roles/{doomed}`, status: 204 },
];

const permissions: readonly ClientCall[] = [
  {
    name: 'fiware_roles.permissions.create',
    method: 'POST',
    path: `${R}/permissions`,
    body: {
      permission: {
        name: 'Read',
        is_internal: false,
        application_id: '{application}',
        action: 'GET',
        resource: 'books',
        xml: '',
      },
    },
    status: 200,
    unwraps: 'permission',
    learns: { permission: 'id' },
  },
  {
    name: 'fiware_roles.permissions.create, name only',
    method: 'POST',
    path: `${R}/permissions`,
    body: { permission: { name: 'Write', is_internal: false, application_id: '{application}' } },
    status: 200,
    unwraps: 'permission',
    learns: { doomed: 'id' },
  },
  {
    name: 'fiware_roles.permissions.get',
    method: 'GET',
    path: `${R}/permissions/{permission}`,
    status: 200,
    unwraps: 'permission',
  },
  {
    name: 'fiware_roles.permissions.update',
    method: 'PATCH',
    path: `${R}/permissions/{permission}`,
    body: { permission: { name: 'Look', is_internal: false } },
    status: 200,
    unwraps: 'permission',
  },
  {
    name: 'fiware_roles.permissions.add_to_role',
    method: 'PUT',
    path: `${R}/roles/{role}/permissions/{permission}`,
    status: 200,
  },
  {
    name: 'fiware_roles.permissions.list, of a role',
    method: 'GET',
    path: `${R}/roles/{role}/permissions`,
    status: 200,
    unwraps: 'permissions',
  },
  {
    name: 'fiware_roles.permissions.list',
    method: 'GET',
    path: `${R}/permissions?application_id={application}`,
    status: 200,
    unwraps: 'permissions',
  },
  {
    name: 'fiware_roles.permissions.remove_from_role',
    method: 'DELETE',
    path: `${R}/roles/{role}/permissions/{permission}`,
    status: 204,
  },
  { name: 'fiware_roles.permissions.delete', method: 'DELETE', path: `${R}/permissions/{doomed}`, status: 204 },
];

const inOrganization = `${R}/users/{user}/organizations/{organization}/applications/{application}/roles`;
const ofOrganization = `${R}/organizations/{organization}/applications/{application}/roles`;

const assignments: readonly ClientCall[] = [
  { name: 'fiware_roles.roles.add_to_user', method: 'PUT', path: `${inOrganization}/{role}`, status: 200 },
  { name: 'fiware_roles.roles.add_to_user, provider', method: 'PUT', path: `${inOrganization}/provider`, status: 200 },
  { name: 'fiware_roles.roles.add_to_organization', method: 'PUT', path: `${ofOrganization}/purchaser`, status: 200 },
  {
    name: 'role_assignments.list_user_role_assignments',
    method: 'GET',
    path: `${R}/users/role_assignments`,
    status: 200,
    unwraps: 'role_assignments',
  },
  {
    name: 'role_assignments.list_user_role_assignments, filtered',
    method: 'GET',
    path: `${R}/users/role_assignments?user_id={user}&organization_id={organization}&application_id={application}`,
    status: 200,
    unwraps: 'role_assignments',
  },
  {
    name: 'role_assignments.list_user_role_assignments, default_organization',
    method: 'GET',
    path: `${R}/users/role_assignments?user_id={user}&default_organization=True`,
    status: 200,
    unwraps: 'role_assignments',
  },
  {
    name: 'role_assignments.list_organization_role_assignments',
    method: 'GET',
    path: `${R}/organizations/role_assignments?organization_id={organization}`,
    status: 200,
    unwraps: 'role_assignments',
  },
  {
    name: 'allowed.list_user_allowed_roles_to_assign',
    method: 'GET',
    path: `${R}/users/{user}/organizations/{organization}/roles/allowed`,
    status: 200,
    unwraps: 'allowed_roles',
  },
  {
    name: 'allowed.list_organization_allowed_roles_to_assign',
    method: 'GET',
    path: `${R}/organizations/{organization}/roles/allowed`,
    status: 200,
    unwraps: 'allowed_roles',
  },
  {
    name: 'allowed.list_user_allowed_applications_to_manage',
    method: 'GET',
    path: `${R}/users/{user}/organizations/{organization}/applications/allowed`,
    status: 200,
    unwraps: 'allowed_applications',
  },
  {
    name: 'allowed.list_organization_allowed_applications_to_manage',
    method: 'GET',
    path: `${R}/organizations/{organization}/applications/allowed`,
    status: 200,
    unwraps: 'allowed_applications',
  },
  {
    name: 'allowed.list_user_allowed_applications_to_manage_roles',
    method: 'GET',
    path: `${R}/users/{user}/organizations/{organization}/applications/allowed_roles`,
    status: 200,
    unwraps: 'allowed_applications',
  },
  {
    name: 'allowed.list_organization_allowed_applications_to_manage_roles',
    method: 'GET',
    path: `${R}/organizations/{organization}/applications/allowed_roles`,
    status: 200,
    unwraps: 'allowed_applications',
  },
  {
    name: 'roles.add_to_user, own organization',
    method: 'PUT',
    path: `${R}/users/{user}/applications/{application}/roles/{role}`,
    status: 200,
  },
  {
    name: 'roles.remove_from_user, own organization',
    method: 'DELETE',
    path: `${R}/users/{user}/applications/{application}/roles/{role}`,
    status: 204,
  },
  { name: 'fiware_roles.roles.remove_from_user', method: 'DELETE', path: `${inOrganization}/{role}`, status: 204 },
  { name: 'fiware_roles.roles.remove_from_organization', method: 'DELETE', path: `${ofOrganization}/purchaser`, status: 204 },
  {
    name: 'consumers, by the roles extension',
    method: 'GET',
    path: `${R}/consumers/{application}`,
    status: 200,
    unwraps: 'consumer',
  },
];

const T = '/v3/OS-TWO-FACTOR';
const ofUser = '/v3/users/{user}/OS-TWO-FACTOR';
const device = 'device_id={device}&device_token={token}';

const twoFactor: readonly ClientCall[] = [
  {
    name: 'two_factor.keys.generate_new_key',
    method: 'POST',
    path: `${ofUser}/two_factor_auth`,
    body: { two_factor_auth: { security_question: 'Pet?', security_answer: 'rex' } },
    status: 201,
    unwraps: 'two_factor_auth',
  },
  {
    name: 'two_factor.keys.generate_new_key, key only',
    method: 'POST',
    path: `${ofUser}/two_factor_auth`,
    status: 201,
    unwraps: 'two_factor_auth',
  },
  {
    name: 'two_factor.keys.check_activated_two_factor',
    method: 'HEAD',
    path: `${T}/two_factor_auth?user_id={user}`,
    status: 204,
  },
  {
    name: 'two_factor.keys.check_activated_two_factor, by name',
    method: 'HEAD',
    path: `${T}/two_factor_auth?user_name={user_name}&domain_name=Default`,
    status: 204,
  },
  {
    name: 'two_factor.keys.get_two_factor_data',
    method: 'GET',
    path: `${ofUser}/two_factor_data`,
    status: 200,
    unwraps: 'two_factor_auth',
  },
  { name: 'two_factor.keys.check_security_question', method: 'HEAD', path: `${ofUser}/sec_question?sec_answer=rex`, status: 204 },
  {
    name: 'two_factor.keys.check_security_question, wrong',
    method: 'HEAD',
    path: `${ofUser}/sec_question?sec_answer=tom`,
    status: 401,
  },
  {
    name: 'two_factor.keys.remember_device',
    method: 'POST',
    path: `${T}/devices?user_name={user_name}&domain_name=Default`,
    body: {},
    status: 200,
    unwraps: 'two_factor_auth',
    learns: { device: 'device_id', token: 'device_token' },
  },
  { name: 'two_factor.keys.check_for_device', method: 'HEAD', path: `${T}/devices?user_id={user}&${device}`, status: 204 },
  {
    name: 'two_factor.keys.remember_device, again',
    method: 'POST',
    path: `${T}/devices?user_id={user}&${device}`,
    body: {},
    status: 200,
    unwraps: 'two_factor_auth',
    learns: { device: 'device_id', token: 'device_token' },
  },
  { name: 'two_factor.keys.delete_all_devices', method: 'DELETE', path: `${ofUser}/devices`, status: 204 },
  {
    name: 'two_factor.keys.check_for_device, forgotten',
    method: 'HEAD',
    path: `${T}/devices?user_id={user}&${device}`,
    status: 404,
  },
  { name: 'two_factor.keys.deactivate_two_factor', method: 'DELETE', path: `${ofUser}/two_factor_auth`, status: 204 },
  {
    name: 'two_factor.keys.check_activated_two_factor, off',
    method: 'HEAD',
    path: `${T}/two_factor_auth?user_id={user}`,
    status: 404,
  },
];

export const calls: readonly ClientCall[] = [...consumers, ...roles, ...permissions, ...assignments, ...twoFactor];
