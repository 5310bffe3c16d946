// Tables of credentials about roles: the keys of their issuer, and their types.

export interface IssuerKeyRow {
  /** The thumbprint of the public key. */
  id: string;
  origin: 'made' | 'brought' | 'authority';
  /** A JWK. */
  public_key: string;
  /** Null for a key that a setting brings. */
  sealed: string | null;
  /** Of an authority: DER in base64. */
  certificate: string | null;
  created_at: number;
  active_from: number;
  /** When a process last said that it signs with it, to about an hour. */
  last_active_at: number;
}

export interface IssuerCertificateRow {
  id: string;
  key_id: string;
  /** The address that it names. */
  issuer: string;
  /** DER in base64. */
  certificate: string;
  expires_at: number;
}

export interface VerifierKeyRow {
  /** The thumbprint of the public key. */
  id: string;
  /** The address that its certificate names. */
  issuer: string;
  sealed: string;
  /** DER in base64. */
  certificate: string;
  created_at: number;
  expires_at: number;
}

export interface CredentialTypeRow {
  id: string;
  application_id: string;
  type_name: string;
  name: string;
  description: string;
  /** JSON. */
  formats: string;
  data_model: string;
  validity_seconds: number;
  /** JSON: ids of roles, or "all". */
  roles: string;
  /** JSON: ids of organizations, or "all" or "default". */
  organizations: string;
  /** JSON. */
  claims: string;
  /** What its credentials call their holder: none or user. */
  subject: string;
  enabled: number;
  created_at: number;
  updated_at: number;
}

export interface RoleCredentialTables {
  issuer_keys: IssuerKeyRow;
  issuer_certificates: IssuerCertificateRow;
  verifier_keys: VerifierKeyRow;
  credential_types: CredentialTypeRow;
  credential_type_targets: { type_id: string; application_id: string };
  application_dids: { application_id: string; did: string };
}
