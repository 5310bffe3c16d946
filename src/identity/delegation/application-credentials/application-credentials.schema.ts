// Wire format of application credentials and access rules.
import { isoTimeWithoutZone } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import { renderRole } from '../../directory/roles/index.ts';
import type { AccessRuleRow } from '../../ground/database/index.ts';
import { Links, ListLinks } from '../../ground/resource/index.ts';
import type { ApplicationCredential as StoredCredential } from './application-credentials.store.ts';

const Id = t.string({ minLength: 1, maxLength: 64 });
const Name = t.string({ minLength: 1, maxLength: 255, pattern: '\\S' });
export const METHODS = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'] as const;
const MAX_RULES = 100;

const NewAccessRule = t.object(
  {},
  {
    id: Id,
    service: t.string({ minLength: 1, maxLength: 64, description: 'The type of a service, as in the catalog.' }),
    path: t.string({
      maxLength: 225,
      pattern: '^/',
      description: '`*` and `{name}` stand for one segment, `**` for any number of them.',
    }),
    method: t.oneOf(...METHODS),
  },
);

const NewApplicationCredential = t.object(
  { name: Name },
  {
    id: Id,
    description: t.nullable(t.string({ maxLength: 4096 })),
    secret: t.nullable(t.string({ maxLength: 4096, description: 'A secret of your own. Without it, one is generated.' })),
    project_id: Id,
    roles: t.array(t.object({}, { id: Id, name: Name }), { maxItems: 100 }),
    expires_at: t.nullable(t.string({ maxLength: 64, description: 'In ISO 8601, in UTC.' })),
    unrestricted: t.nullable(t.boolean({ description: 'Whether its tokens may manage application credentials and trusts.' })),
    access_rules: t.array(NewAccessRule, { maxItems: MAX_RULES }),
  },
);
export const CreateApplicationCredential = t.envelope('application_credential', NewApplicationCredential);

const RoleOfCredential = t.open({ id: t.string(), name: t.string(), domain_id: t.nullable(t.string()) });
const AccessRuleOfCredential = t.object({ id: t.string(), service: t.string(), path: t.string(), method: t.string() });
const fields = {
  id: t.string(),
  name: t.string(),
  description: t.nullable(t.string()),
  user_id: t.string(),
  project_id: t.string(),
  system: t.nullable(t.string()),
  roles: t.array(RoleOfCredential),
  expires_at: t.nullable(t.string({ description: 'In ISO 8601 and UTC, without the letter Z, as in Keystone.' })),
  unrestricted: t.boolean(),
  links: Links,
};
const ApplicationCredential = t.object(fields, { access_rules: t.array(AccessRuleOfCredential) });
const ApplicationCredentialWithSecret = t.object(
  { ...fields, secret: t.string() },
  { access_rules: t.array(AccessRuleOfCredential) },
);
export const ApplicationCredentialEnvelope = t.envelope('application_credential', ApplicationCredential);
export const CreatedApplicationCredential = t.envelope('application_credential', ApplicationCredentialWithSecret);
export const ApplicationCredentialList = t.object({
  links: ListLinks,
  application_credentials: t.array(ApplicationCredential),
});

const AccessRule = t.object({ id: t.string(), service: t.string(), path: t.string(), method: t.string(), links: Links });
export const AccessRuleEnvelope = t.envelope('access_rule', AccessRule);
export const AccessRuleList = t.object({ links: ListLinks, access_rules: t.array(AccessRule) });

export const ruleOf = ({ id, service, path, method }: AccessRuleRow) => ({ id, service, path, method });

export function renderApplicationCredential(base: string, { row, roles, rules }: StoredCredential) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    user_id: row.user_id,
    project_id: row.project_id,
    // Keystone has this field for credentials that are not for a project. There are none.
    system: null,
    roles: roles.map((role) => renderRole(base, role)),
    expires_at: row.expires_at === null ? null : isoTimeWithoutZone(row.expires_at, row.expires_micros),
    unrestricted: row.unrestricted === 1,
    ...(rules.length > 0 ? { access_rules: rules.map(ruleOf) } : {}),
    links: { self: `${base}/v3/users/${encodeURIComponent(row.user_id)}/application_credentials/${row.id}` },
  };
}

export const renderAccessRule = (base: string, rule: AccessRuleRow) => ({
  ...ruleOf(rule),
  links: { self: `${base}/v3/users/${encodeURIComponent(rule.user_id)}/access_rules/${rule.id}` },
});

t.name({
  NewAccessRule,
  NewApplicationCredential,
  CreateApplicationCredential,
  ApplicationCredential,
  ApplicationCredentialEnvelope,
  ApplicationCredentialWithSecret,
  CreatedApplicationCredential,
  ApplicationCredentialList,
  AccessRule,
  AccessRuleEnvelope,
  AccessRuleList,
});
