// The tables of federation. Booleans are 0 or 1.

export interface IdentityProviderRow {
  id: string;
  domain_id: string;
  enabled: number;
  description: string | null;
  authorization_ttl: number | null;
  created_at: number;
}

export interface MappingRow {
  id: string;
  rules: string;
  schema_version: string;
  created_at: number;
}

export interface ProtocolRow {
  provider_id: string;
  id: string;
  mapping_id: string;
  remote_id_attribute: string | null;
}

export interface OpenidProviderRow {
  provider_id: string;
  issuer: string;
  client_id: string;
  client_secret: string | null;
  scopes: string;
  button_name: string | null;
  email_domains: string;
  trusts_email: number;
  whole_service: number;
  may_give_admin: number;
  /** 1: tokens that the provider signed for us log in at the API. */
  accepts_tokens: number;
  /** 1: sign-ins may be begun at the provider. */
  accepts_initiated_login: number;
  version: number;
  /** The version since which what the provider gave is taken back from everybody; null when that is done. */
  taking_back: number | null;
  /** Lower numbers first; null: after them, by the name. */
  button_order: number | null;
  /** JSON: how we are its client (`login/federation/client-options.ts`). */
  client_options: string;
}

/** Beside the settings of OpenID: `email_domains` to `taking_back` mean the same. */
export interface WalletProviderRow
  extends Pick<
    OpenidProviderRow,
    'provider_id' | 'email_domains' | 'trusts_email' | 'whole_service' | 'may_give_admin' | 'version' | 'taking_back'
  > {
  name: string | null;
  shown: number;
  credentials: string;
  issuers: string;
  root_certificates: string;
  requires_status: number;
}

export interface ServiceProviderRow {
  id: string;
  enabled: number;
  description: string | null;
  auth_url: string;
  sp_url: string;
  relay_state_prefix: string | null;
  created_at: number;
}

export interface ProviderLinkRow {
  id: string;
  provider_id: string;
  issuer: string;
  subject: string;
  /** Of the protocols of the provider. `openid` and `openid4vp` are served. */
  protocol_id: string;
  user_id: string;
  label: string;
  given: string;
  by_address: number;
  created_at: number;
  last_used_at: number | null;
}

export interface ProviderSessionRow {
  id: string;
  link_id: string;
  session_hash: string | null;
  sid_hash: string | null;
  sealed: string | null;
  refresh_at: number | null;
  /** 1: of logins at the API. */
  for_api: number;
  created_at: number;
  expires_at: number;
}

/** A sign-in that an administrator tries. `sealed` is JSON: what the answer is checked with. */
export interface ProviderAttemptRow {
  id: string;
  provider_id: string;
  user_id: string;
  version: number;
  sealed: string;
  expires_at: number;
}

/** A key of ours. */
export interface ProviderKeyRow {
  id: string;
  provider_id: string;
  used_for: 'sig' | 'dpop';
  alg: string;
  public_jwk: string;
  sealed: string;
  created_at: number;
}

/** Where the service registered itself. */
export interface ProviderRegistrationRow {
  provider_id: string;
  sealed: string;
  metadata: string;
  registered_at: number;
  secret_expires_at: number | null;
}

/** What a browser or a provider has a reference to. */
export interface ProviderMessageRow {
  id: string;
  about: string;
  provider_id: string;
  sealed: string;
  expires_at: number;
}

export interface FederationTables {
  identity_providers: IdentityProviderRow;
  identity_provider_remote_ids: { remote_id: string; provider_id: string };
  mappings: MappingRow;
  federation_protocols: ProtocolRow;
  openid_providers: OpenidProviderRow;
  wallet_providers: WalletProviderRow;
  provider_links: ProviderLinkRow;
  provider_sessions: ProviderSessionRow;
  provider_attempts: ProviderAttemptRow;
  provider_messages: ProviderMessageRow;
  provider_keys: ProviderKeyRow;
  provider_registrations: ProviderRegistrationRow;
  service_providers: ServiceProviderRow;
  /** With `issued_at`: what was signed out, and not a token. */
  used_logout_tokens: { token_hash: string; expires_at: number; issued_at: number | null };
}
