// Who passes each rule of Keystone when the scope is enforced (GATEHOUSE_IDENTITY_ENFORCE_SCOPE). What is expected is what the default policy
// of Keystone 22.0.2 gives; conformance/policy asks that.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  callerOf,
  OWN,
  PERSONAS,
  type Persona,
  type Place,
  personaOf,
  ROLES,
  SCOPES,
  TARGETS,
} from '../../../../test/support/scope-personas.ts';
import { baseRules } from './base-rules.ts';
import { extensionRules } from './extension-rules.ts';
import { type Action, isAdministrator, isAllowed } from './policy.ts';

const at = (...places: string[]): Persona[] => PERSONAS.filter((persona) => places.includes(persona.split('@')[1]!));
const SYSTEM = at('system');
const DOMAIN = at('domain');
const PROJECT = at('project');
const everywhere = (who: readonly Persona[]): Record<Place, readonly Persona[]> => ({
  inDomain: who,
  inProject: who,
  elsewhere: who,
  self: who,
});
const systemAdmins = everywhere(['admin@system']);
const systemReaders = everywhere(SYSTEM);
const readers = { ...systemReaders, inDomain: [...SYSTEM, ...DOMAIN], inProject: [...SYSTEM, ...DOMAIN] };
const domainAdmins: Record<Place, readonly Persona[]> = {
  ...systemAdmins,
  inDomain: ['admin@system', 'admin@domain'],
  inProject: ['admin@system', 'admin@domain'],
};

const EXPECTED: readonly (readonly [rules: string, who: Record<Place, readonly Persona[]>])[] = [
  [
    `get_auth_catalog get_auth_projects get_auth_domains get_auth_system get_security_compliance_domain_config get_limit_model
     list_limits get_region list_regions get_registered_limit list_registered_limits`,
    everywhere(PERSONAS),
  ],
  [
    `create_consumer update_consumer delete_consumer create_domain update_domain delete_domain create_domain_config
     update_domain_config delete_domain_config create_endpoint update_endpoint delete_endpoint create_endpoint_group
     update_endpoint_group delete_endpoint_group add_endpoint_group_to_project remove_endpoint_group_from_project
     create_system_grant revoke_system_grant create_identity_provider update_identity_provider delete_identity_provider
     create_implied_role delete_implied_role create_limits update_limit delete_limit create_mapping update_mapping delete_mapping
     create_policy update_policy delete_policy create_policy_association_for_endpoint delete_policy_association_for_endpoint
     create_policy_association_for_service delete_policy_association_for_service
     create_policy_association_for_region_and_service delete_policy_association_for_region_and_service
     add_endpoint_to_project remove_endpoint_from_project create_protocol update_protocol delete_protocol create_region
     update_region delete_region create_registered_limits update_registered_limit delete_registered_limit list_revoke_events
     create_role update_role delete_role create_service update_service delete_service create_service_provider
     update_service_provider delete_service_provider`,
    systemAdmins,
  ],
  [
    `get_consumer list_consumers list_domains get_domain_config get_domain_config_default get_endpoint list_endpoints
     list_endpoint_groups get_endpoint_group list_projects_associated_with_endpoint_group
     list_endpoints_associated_with_endpoint_group get_endpoint_group_in_project list_endpoint_groups_for_project
     list_system_grants check_system_grant list_identity_providers get_identity_provider get_implied_role list_implied_roles
     list_role_inference_rules check_implied_role get_mapping list_mappings get_policy list_policies
     check_policy_association_for_endpoint check_policy_association_for_service
     check_policy_association_for_region_and_service get_policy_for_endpoint list_endpoints_for_policy
     list_projects_for_endpoint check_endpoint_in_project list_endpoints_for_project get_protocol list_protocols get_role
     list_roles get_service list_services list_service_providers get_service_provider`,
    systemReaders,
  ],
  ['get_domain', { ...systemReaders, inDomain: PERSONAS, inProject: PERSONAS }],
  ['get_user list_user_projects list_groups_for_user', { ...readers, self: PERSONAS }],
  [`list_users get_group list_groups list_users_in_group check_user_in_group list_projects check_grant list_grants`, readers],
  [
    `create_user update_user delete_user create_group update_group delete_group add_user_to_group remove_user_from_group
     create_project update_project delete_project create_grant revoke_grant`,
    domainAdmins,
  ],
  ['get_project list_project_tags get_project_tag get_limit', { ...readers, inProject: PERSONAS }],
  [
    'create_project_tag update_project_tags delete_project_tag delete_project_tags',
    { ...domainAdmins, inProject: ['admin@system', 'admin@domain', 'admin@project'] },
  ],
  // The first has the facts of the second for lists of a tree only (policy.test.ts).
  ['list_role_assignments list_role_assignments_for_tree', { ...readers, inProject: [...SYSTEM, ...DOMAIN, 'admin@project'] }],
  ['check_token validate_token', { ...systemReaders, self: PERSONAS }],
  ['revoke_token', { ...systemAdmins, self: PERSONAS }],
  [
    `get_credential list_credentials ec2_get_credential ec2_list_credentials get_application_credential
     list_application_credentials get_access_rule list_access_rules list_trusts get_trust list_roles_for_trust
     get_role_for_trust`,
    { ...systemReaders, self: [...SYSTEM, ...PROJECT] },
  ],
  [
    `create_credential update_credential delete_credential ec2_create_credential ec2_delete_credential
     delete_application_credential delete_access_rule delete_trust`,
    { ...systemAdmins, self: [...SYSTEM, ...PROJECT] },
  ],
  ['create_application_credential create_trust', { ...everywhere([]), self: PROJECT }],
  ['authorize_request_token', everywhere(['admin@project'])],
  // Keystone: admin@project, whoever's they are. Here they are for their user, and for administrators of the system.
  [
    'list_access_tokens get_access_token list_access_token_roles get_access_token_role delete_access_token',
    { ...systemAdmins, self: PERSONAS },
  ],
  // Not in Keystone 22.0.2, which lets everybody ask.
  ['ec2tokens_validate s3tokens_validate', systemAdmins],
];

/** Additions to Keystone, with the personas that pass without being the user concerned. */
const ADDED: readonly (readonly [rules: string, who: Record<Place, readonly Persona[]>])[] = [
  ['get_allowed list_audit_events', everywhere(PERSONAS)],
  ['list_user_sessions end_user_sessions', { ...domainAdmins, self: PERSONAS }],
  ['list_delegated_access end_delegated_access', { ...domainAdmins, self: PERSONAS }],
  // Newer versions of Keystone have it, Keystone 22 does not.
  ['revoke_tokens_for_user', { ...systemAdmins, self: PERSONAS }],
  ['expire_password cancel_account_deletion create_invitation withdraw_invitation list_domain_audit_events', domainAdmins],
  ['approve_registration refuse_registration', domainAdmins],
  ['list_user_locks get_user_lock preview_sign_in unlock_user update_domain_settings', domainAdmins],
  ['list_account_deletions get_account_deletion list_invitations get_invitation explain_access', readers],
  ['list_waiting_registrations', readers],
  ['manage_registration_tokens manage_registered_applications', domainAdmins],
  [
    'count_audit_events get_service_overview list_domain_settings',
    { ...systemReaders, inDomain: [...SYSTEM, 'admin@domain'], inProject: [...SYSTEM, 'admin@domain'] },
  ],
  ['list_all_audit_events get_directory list_replicas list_apis get_api', systemReaders],
  [
    `register_user activate_user new_activation_key get_reset_token reset_password list_service_settings list_service_keys
     update_service_settings read_directory test_directory send_test_mail rotate_service_keys list_deliveries retry_delivery delete_delivery list_backups create_backup list_imports import manage_scim_connections create_api update_api delete_api`,
    systemAdmins,
  ],
];

const named = (rules: string): Action[] => rules.split(/\s+/).map((name) => `identity:${name}` as Action);

describe('With the scope enforced', () => {
  for (const [rules, who] of [...EXPECTED, ...ADDED]) {
    for (const rule of named(rules)) {
      it(`lets pass ${rule} whom Keystone names`, () => {
        for (const place of Object.keys(TARGETS) as Place[]) {
          const passed = PERSONAS.filter((persona) => isAllowed(personaOf(persona), rule, TARGETS[place]));
          assert.deepEqual(
            passed,
            PERSONAS.filter((persona) => who[place].includes(persona)),
            place,
          );
        }
      });
    }
  }

  it('is known of every rule of the base API', () => {
    const known = new Set<string>([...EXPECTED, ...ADDED].flatMap(([rules]) => named(rules)));
    assert.deepEqual(
      Object.keys(baseRules).filter((rule) => rule.startsWith('identity:') && !known.has(rule)),
      [],
      'each rule is in EXPECTED or ADDED above, with who passes it',
    );
  });

  it('lets nobody but administrators of the system pass a rule of an extension about others', () => {
    const open = ['list_consumers', 'create_consumer', 'verify_access_token', 'get_credential_issuer'];
    for (const rule of Object.keys(extensionRules) as Action[]) {
      const passed = PERSONAS.filter((persona) => isAllowed(personaOf(persona), rule, TARGETS.inDomain));
      const expected = open.includes(rule) ? PERSONAS : rule === 'authorize' ? [] : ['admin@system'];
      // An organization sees what it may give.
      assert.deepEqual(passed, expected, rule);
    }
    for (const persona of PERSONAS)
      assert.equal(isAllowed(personaOf(persona), 'OS-SCIM:administer'), persona === 'admin@system', persona);
  });

  it('has administrators of the system only', () => {
    assert.deepEqual(
      PERSONAS.filter((persona) => isAdministrator(personaOf(persona))),
      ['admin@system'],
    );
  });

  it('asks for every domain of a grant or a membership, and for that of the role', () => {
    const admin = personaOf('admin@domain');
    const facts = { ...TARGETS.inDomain };
    for (const rule of named('create_grant revoke_grant')) {
      assert.equal(isAllowed(admin, rule, { ...facts, roleDomainId: OWN.id }), true);
      assert.equal(isAllowed(admin, rule, { ...facts, roleDomainId: 'foreign' }), false);
      assert.equal(isAllowed(admin, rule, { domains: [OWN.id, OWN.id] }), false);
    }
    for (const rule of named('create_grant revoke_grant check_grant list_grants add_user_to_group remove_user_from_group')) {
      for (const domains of [[OWN.id, 'foreign'], ['foreign', OWN.id], [OWN.id, null], []])
        assert.equal(isAllowed(admin, rule, { ...facts, domains }), false, `${rule} ${domains}`);
    }
  });

  it('keeps the role of services, which has effect in every domain, from administrators of a domain', () => {
    const admin = personaOf('admin@domain');
    assert.equal(isAllowed(admin, 'identity:create_grant', { ...TARGETS.inDomain, givesRoles: ['plain', 'service'] }), false);
    assert.equal(isAllowed(admin, 'identity:revoke_grant', { ...TARGETS.inDomain, givesRoles: ['plain', 'service'] }), true);
    const { givesRoles: _, ...unknown } = TARGETS.inDomain;
    assert.equal(isAllowed(admin, 'identity:create_grant', unknown), false);
  });

  it('does not count a token without a scope as one of a domain', () => {
    const unscoped = callerOf([], { kind: 'unscoped' });
    for (const rule of named('list_credentials create_trust list_application_credentials'))
      assert.equal(isAllowed(unscoped, rule, TARGETS.self), true, rule);
  });

  it('does not let missing facts pass for those of the own domain', () => {
    for (const [rules] of [...EXPECTED, ...ADDED])
      for (const rule of named(rules))
        if (isAllowed(personaOf('admin@domain'), rule, {}))
          assert.ok(isAllowed(personaOf('reader@project'), rule, {}), `${rule} passes for administrators of a domain only`);
  });
});

describe('Without it', () => {
  it('the role admin counts everywhere, and for everything', () => {
    const own = named('create_application_credential create_trust');
    for (const scope of Object.values(SCOPES))
      for (const rule of Object.keys(baseRules) as Action[])
        for (const [place, facts] of Object.entries(TARGETS))
          assert.equal(
            isAllowed(callerOf(ROLES.admin, scope, false), rule, facts),
            place === 'self' || !own.includes(rule),
            `${rule} ${scope.kind} ${place}`,
          );
  });
});
