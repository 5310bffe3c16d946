// Tables of credentials that users store, and of what they pass on: application credentials and trusts.

export interface CredentialRow {
  id: string;
  user_id: string;
  project_id: string | null;
  type: string;
  blob: string;
  extra: string;
  last_step: number;
  /** Changes with the credential: tokens that were made with an EC2 key end. */
  epoch: number;
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
  /** Microseconds, to be added to the end. */
  expires_micros: number;
  created_at: number;
}

export interface AccessRuleRow {
  id: string;
  user_id: string;
  service: string;
  path: string;
  method: string;
}

export interface TrustRow {
  id: string;
  trustor_user_id: string;
  trustee_user_id: string;
  project_id: string | null;
  impersonation: number;
  expires_at: number | null;
  remaining_uses: number | null;
  redelegated_trust_id: string | null;
  redelegation_count: number;
  extra: string;
  created_at: number;
  /** When a sweep found that no use was left. */
  used_up_at: number | null;
}

export interface OAuth1ConsumerRow {
  id: string;
  description: string | null;
  secret: string;
  extra: string;
  created_at: number;
}

export interface OAuth1RequestTokenRow {
  id: string;
  consumer_id: string;
  project_id: string;
  secret: string;
  /** Who authorized it, and what: null before. */
  user_id: string | null;
  verifier_hash: string | null;
  role_ids: string | null;
  expires_at: number | null;
}

export interface OAuth1AccessTokenRow {
  id: string;
  consumer_id: string;
  user_id: string;
  project_id: string;
  secret: string;
  expires_at: number | null;
  created_at: number;
}

export interface DelegationTables {
  credentials: CredentialRow;
  application_credentials: ApplicationCredentialRow;
  application_credential_roles: { credential_id: string; role_id: string };
  access_rules: AccessRuleRow;
  application_credential_access_rules: { credential_id: string; rule_id: string };
  trusts: TrustRow;
  trust_roles: { trust_id: string; role_id: string };
  oauth1_consumers: OAuth1ConsumerRow;
  oauth1_request_tokens: OAuth1RequestTokenRow;
  oauth1_access_tokens: OAuth1AccessTokenRow;
  oauth1_access_token_roles: { access_token_id: string; role_id: string };
  oauth1_nonces: { hash: string; expires_at: number };
}
