// Tables of credentials: those that users store, and application credentials, by which they pass roles on.

export interface CredentialRow {
  id: string;
  user_id: string;
  project_id: string | null;
  type: string;
  blob: string;
  extra: string;
  last_step: number;
  created_at: number;
}

export interface ApplicationCredentialRow {
  id: string;
  user_id: string;
  project_id: string;
  name: string;
  description: string | null;
  secret_hash: string;
  unrestricted: number;
  expires_at: number | null;
  created_at: number;
}

export interface AccessRuleRow {
  id: string;
  user_id: string;
  service: string;
  path: string;
  method: string;
}

export interface DelegationTables {
  credentials: CredentialRow;
  application_credentials: ApplicationCredentialRow;
  application_credential_roles: { credential_id: string; role_id: string };
  access_rules: AccessRuleRow;
  application_credential_access_rules: { credential_id: string; rule_id: string };
}
