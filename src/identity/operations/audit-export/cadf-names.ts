// What Keystone's CADF notifications call our audit events. Events that Keystone does not have get names of the same form.
import { type CadfMessage, type CadfNames, cadfMessage, operationOf } from '../../../platform/audit-export/index.ts';
import type { AuditEventRow } from '../../ground/database/index.ts';

/** Keystone's CADF_TYPE_MAP, and our own kinds of things. */
const TARGET_TYPES: Readonly<Record<string, string>> = {
  user: 'data/security/account/user',
  group: 'data/security/group',
  project: 'data/security/project',
  domain: 'data/security/domain',
  role: 'data/security/role',
  region: 'data/security/region',
  service: 'data/security/service',
  endpoint: 'data/security/endpoint',
  consumer: 'data/security/account',
  credential: 'data/security/credential',
  token: 'data/security/credential',
  trust: 'data/security/trust',
  issued_credential: 'data/security/credential',
  oauth1_consumer: 'data/security/account',
  oauth1_request_token: 'data/security/credential',
  oauth1_access_token: 'data/security/credential',
  app_role: 'data/security/role',
  permission: 'data/security/policy',
  policy: 'data/security/policy',
  mapping: 'data/security/policy',
  token_key: 'data/security/key',
  openid_keys: 'data/security/key',
  issuer_keys: 'data/security/key',
  verifier_keys: 'data/security/key',
  credential_type: 'data/security/policy',
  credential_target: 'data/security/policy',
  master_key: 'data/security/key',
};
const OTHER = 'data/security';
/** The target of authentications and role assignments. */
const ACCOUNT_USER = 'service/security/account/user';

/** Names of resources that differ from ours. */
const RESOURCES: Readonly<Record<string, string>> = {
  consumer: 'OS-OAUTH2:consumer',
  access_token: 'OS-OAUTH2:access_token',
  trust: 'OS-TRUST:trust',
  issued_credential: 'OS-ROLE-CREDENTIALS:credential',
  credential_type: 'OS-ROLE-CREDENTIALS:type',
  credential_target: 'OS-ROLE-CREDENTIALS:target',
  oauth1_consumer: 'OS-OAUTH1:consumer',
  oauth1_request_token: 'OS-OAUTH1:request_token',
  oauth1_access_token: 'OS-OAUTH1:access_token',
};

/** What a grant was about, as Keystone's events of role assignments have it. */
function assignmentOf({ target_id, detail }: AuditEventRow): Readonly<Record<string, unknown>> {
  const { user_id: user, group_id: group, target, target_id: on, inherited } = JSON.parse(detail) as Record<string, unknown>;
  return {
    role: target_id,
    ...(user === undefined ? { group } : { user }),
    ...(target === 'project' || target === 'domain' ? { [target]: on } : {}),
    inherited_to_projects: inherited === true,
  };
}

function namesOf(row: AuditEventRow): CadfNames {
  const { action, target_kind: kind, target_id: id } = row;
  switch (action) {
    case 'user.logged_in':
    case 'user.login_refused':
    case 'user.password_proved':
      return { action: 'authenticate', eventType: 'identity.authenticate', targetType: ACCOUNT_USER, initiatorId: id };
    case 'grant.created':
    case 'grant.revoked': {
      const operation = action === 'grant.created' ? 'created' : 'deleted';
      return {
        action: `${operation}.role_assignment`,
        eventType: `identity.role_assignment.${operation}`,
        targetType: ACCOUNT_USER,
        extra: assignmentOf(row),
      };
    }
    default: {
      const [subject = kind, verb = ''] = action.split('.');
      const resource = RESOURCES[subject] ?? subject;
      // A thing that is added to another changes the other: `group.member_removed` is `updated.group`, as in Keystone.
      const operation = verb.includes('_') ? 'updated' : operationOf(verb);
      return {
        action: `${operation}.${resource}`,
        eventType: `identity.${resource}.${operation}`,
        targetType: TARGET_TYPES[kind] ?? OTHER,
      };
    }
  }
}

export const identityCadf = (row: AuditEventRow): CadfMessage => cadfMessage('identity', row, namesOf(row));
