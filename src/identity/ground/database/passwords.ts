// The tables of passwords, and of guesses at them.

export interface PasswordRow {
  id: string;
  user_id: string;
  hash: string;
  created_at: number;
  expires_at: number | null;
  serial: number;
  /** 1: the person chose it. */
  self_service: number;
  /** Of the hash of another system: one of nobody that takes as long; null: the hash is ours. */
  imported_form: string | null;
}

export interface PasswordTables {
  passwords: PasswordRow;
  login_failures: { user_id: string; failures: number; last_at: number };
  wrong_passwords: { account: string; failures: number; last_at: number };
}
