// Credentials about roles as the API shows them: their types, and what was issued.

export const TYPES = '/v3/OS-ROLE-CREDENTIALS/types';
export const ISSUED = '/v3/OS-ROLE-CREDENTIALS/credentials';

export const FORMATS = ['dc+sd-jwt', 'vc+sd-jwt', 'jwt_vc_json', 'mso_mdoc'] as const;
export const CLAIMS = ['name', 'given_name', 'family_name', 'preferred_username', 'email', 'organization'] as const;

export interface CredentialType {
  readonly id: string;
  readonly application_id: string;
  readonly targets: readonly string[];
  readonly type: string;
  readonly vct: string;
  readonly name: string;
  readonly description: string;
  readonly formats: readonly (typeof FORMATS)[number][];
  readonly data_model: string;
  readonly subject: string;
  readonly validity_seconds: number;
  readonly roles: readonly string[] | null;
  readonly organizations: readonly string[] | null;
  readonly only_default_organization: boolean;
  readonly claims: readonly (typeof CLAIMS)[number][];
  readonly enabled: boolean;
}

export interface IssuedCredential {
  readonly id: string;
  readonly user_id: string;
  readonly type_id: string;
  readonly application_id: string;
  readonly roles: readonly { readonly names: readonly string[] }[];
  readonly state: 'valid' | 'suspended' | 'revoked';
  readonly reason: string | null;
  readonly first_issued_at: string;
  readonly refreshed_at: string | null;
  readonly expires_at: string;
  readonly changed_at: string;
}
