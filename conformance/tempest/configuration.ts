// The configuration of tempest, and matching settings of the service.
import type { RunningService } from '../support/service.ts';

// Tempest tests these account rules and has to know their values. A short lock-out keeps the run short.
const LOCKOUT_ATTEMPTS = 2;
const LOCKOUT_SECONDS = 5;
const UNIQUE_PASSWORDS = 2;

export const serviceSettings = {
  GATEHOUSE_IDENTITY_LOCKOUT_FAILURE_ATTEMPTS: String(LOCKOUT_ATTEMPTS),
  GATEHOUSE_IDENTITY_LOCKOUT_DURATION: String(LOCKOUT_SECONDS),
  GATEHOUSE_IDENTITY_UNIQUE_LAST_PASSWORD_COUNT: String(UNIQUE_PASSWORDS),
};

/** The same rules for Keystone. */
export const keystoneSettings = `[security_compliance]
lockout_failure_attempts = ${LOCKOUT_ATTEMPTS}
lockout_duration = ${LOCKOUT_SECONDS}
unique_last_password_count = ${UNIQUE_PASSWORDS}
`;

/** For the tests of personas: with the scope enforced. */
export const rbacSettings = { GATEHOUSE_IDENTITY_ENFORCE_SCOPE: 'on' };
export const rbacKeystoneSettings = `[oslo_policy]
enforce_scope = true
enforce_new_defaults = true
`;

/** `rbac`: tempest's administrator acts on the system, since one of a project administers nothing then. */
export function tempestConfiguration(
  { url, adminPassword }: RunningService,
  workspace: string,
  { rbac }: { readonly rbac: boolean },
): string {
  return `[DEFAULT]
log_dir = ${workspace}/logs
log_file = tempest.log

[oslo_concurrency]
lock_path = ${workspace}/tempest_lock

[auth]
use_dynamic_credentials = true
create_isolated_networks = false
admin_username = admin
admin_password = ${adminPassword}
${rbac ? 'admin_system = all\nadmin_project_name =\nadmin_user_domain_name = Default' : 'admin_project_name = admin'}
admin_domain_name = Default
default_credentials_domain_name = Default

[identity]
uri_v3 = ${url}/v3
auth_version = v3
region = RegionOne
v3_endpoint_type = public
admin_role = admin
default_domain_id = default
user_lockout_failure_attempts = ${LOCKOUT_ATTEMPTS}
user_lockout_duration = ${LOCKOUT_SECONDS}
user_unique_last_password_count = ${UNIQUE_PASSWORDS}

[identity-feature-enabled]
api_v2 = false
api_v3 = true
project_tags = true
security_compliance = true
immutable_user_source = false
domain_specific_drivers = false
trust = true
application_credentials = true
access_rules = true
federation = true
external_idp = false
enforce_scope = ${rbac}

[enforce_scope]
keystone = ${rbac}

[service_available]
cinder = false
glance = false
horizon = false
neutron = false
nova = false
swift = false
`;
}
