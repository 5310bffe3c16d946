// Tables of applications that register themselves.
export interface RegistrationTokenRow {
  id: string;
  domain_id: string;
  name: string;
  token_hash: string;
  uses_left: number;
  created_at: number;
  expires_at: number;
  last_used_at: number | null;
}

export interface RegistrationTables {
  registration_tokens: RegistrationTokenRow;
}
