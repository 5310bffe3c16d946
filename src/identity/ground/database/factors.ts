// The tables of second factors and passkeys. Booleans are 0 or 1.

export interface TwoFactorRow {
  user_id: string;
  key: string;
  security_question: string;
  security_answer: string;
  last_step: number;
  created_at: number;
}

export interface DeviceRow {
  id: string;
  user_id: string;
  user_agent: string;
  created_at: number;
  last_used_at: number;
}

export interface PasskeyRow {
  id: string;
  user_id: string;
  credential_id: string;
  public_key: string;
  counter: number;
  transports: string;
  synced: number;
  name: string;
  created_at: number;
  last_used_at: number | null;
  removed_at: number | null;
}

export interface FactorTables {
  two_factor: TwoFactorRow;
  kept_tokens: { user_id: string; audit_id: string; epoch: number; lag: number };
  factor_attempts: { user_id: string; attempts: number; last_at: number };
  devices: DeviceRow;
  device_tokens: { token_hash: string; device_id: string; replaced_at: number | null };
  recovery_codes: { code_hash: string; user_id: string };
  passkeys: PasskeyRow;
}
