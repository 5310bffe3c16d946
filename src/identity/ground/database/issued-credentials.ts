// Tables of credentials in the wallets of people, and of the lists that say their state.

export type CredentialState = 'valid' | 'suspended' | 'revoked';

export interface IssuedCredentialRow {
  id: string;
  batch_id: string;
  issuance_id: string;
  user_id: string;
  type_id: string;
  application_id: string;
  client_id: string | null;
  format: string;
  key_thumbprint: string;
  state: CredentialState;
  reason: string | null;
  changed_at: number;
  issued_at: number;
  expires_at: number;
  list_id: string;
  list_index: number;
  /** 0 valid, 1 revoked, 2 suspended. */
  list_state: number;
  list_version: number;
  /** What one wallet got of one type in one format. Null for those of earlier versions. */
  series_id: string | null;
  first_issued_at: number | null;
  authorization_id: string | null;
}

export interface StatusListRow {
  id: string;
  /** Number of entries. */
  size: number;
  version: number;
  /** 0: new credentials go here. 1: hardly any entry is free. 2: closed by a restore, see restored.store.ts. */
  is_full: number;
  created_at: number;
}

export interface IssuedCredentialTables {
  issued_credentials: IssuedCredentialRow;
  issued_credential_roles: { batch_id: string; application_id: string; role_id: string; target: string; name: string };
  issued_credential_tags: { tag: string; batch_id: string };
  status_lists: StatusListRow;
}
