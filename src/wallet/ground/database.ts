// The tables of the wallet node, as the query layer sees them.

import type { AuditEventRow, AuditedChange as ChangeOn } from '../../platform/audit/index.ts';
import type { AuditExportRow } from '../../platform/audit-export/index.ts';
import type { Database as AnyDatabase, Reader as AnyReader, Tx as AnyTx } from '../../platform/database/index.ts';

/** A boolean as 0 or 1, which both databases can store. */
export type Bit = number;

export type KeyState = 'active' | 'rotated' | 'revoked';
export type DidState = 'draft' | 'published' | 'unpublished';
export type DidMethod = 'web' | 'key' | 'jwk';

/** States of an issuance, from the offer to the stored credential. */
export type IssuanceState =
  | 'offered'
  /** A single-use code is being redeemed. */
  | 'redeeming'
  | 'authorization_required'
  | 'authorized'
  | 'requesting'
  /** The issuer issues later; the node asks again. */
  | 'deferred';

/** States of a presentation, from the request to the answer. */
export type PresentationState =
  | 'requested'
  /** An answer is being sent. It may be sent only once, so nobody else may continue the exchange. */
  | 'answering';

/** Final states. */
export type FinalState = 'issued' | 'submitted' | 'rejected' | 'failed' | 'expired' | 'cancelled';
export type ExchangeState = IssuanceState | PresentationState | FinalState;

export interface KeyRow {
  id: string;
  owner: string;
  alias: string | null;
  algorithm: string;
  kid: string;
  state: KeyState;
  is_default: Bit;
  uses: string;
  storage: string;
  public_jwk: string;
  wrapped_key: string | null;
  material: string | null;
  created_at: number;
  rotated_at: number | null;
  verify_until: number | null;
  successor_id: string | null;
  predecessor_id: string | null;
  revoked_at: number | null;
  revocation_reason: string | null;
  republished: string | null;
}

export interface DidRow {
  id: string;
  owner: string;
  did: string;
  method: DidMethod;
  name: string | null;
  alias: string | null;
  state: DidState;
  is_default: Bit;
  service: string;
  also_known_as: string;
  version: number;
  created_at: number;
  published_at: number | null;
  unpublished_at: number | null;
}

export interface DidKeyRow {
  did_id: string;
  key_id: string;
  owner: string;
  position: number;
}

export interface PublishedDocumentRow {
  did: string;
  name: string | null;
  document: string;
  etag: string;
  published_at: number;
}

export interface CredentialRow {
  id: string;
  owner: string;
  format: string;
  type: string;
  issuer: string;
  status: string;
  status_checked_at: number | null;
  key_id: string | null;
  did_id: string | null;
  binding: string;
  valid_from: number | null;
  valid_until: number | null;
  issued_at: number | null;
  added_at: number;
  sealed: string;
}

export interface CredentialInstanceRow {
  id: string;
  credential_id: string;
  owner: string;
  key_id: string | null;
  sealed: string;
}

export interface ExchangeRow {
  id: string;
  owner: string;
  protocol: string;
  state: ExchangeState;
  peer: string | null;
  party: string | null;
  outcome: string | null;
  result: string | null;
  request_hash: string | null;
  steps: string;
  summary: string | null;
  sealed: string | null;
  poll_at: number | null;
  claimed_until: number;
  claimed_by: string;
  created_at: number;
  updated_at: number;
  expires_at: number;
}

export interface SessionRow {
  id_hash: string;
  owner: string;
  sealed: string;
  created_at: number;
  used_at: number;
  ends_at: number;
  refresh_at: number | null;
  sid_hash: string | null;
}

export interface IdempotentRequestRow {
  owner: string;
  route: string;
  idempotency_key: string;
  request_hash: string;
  resource_id: string;
  created_at: number;
}

export interface AttesterCertificateRow {
  /** The thumbprint of the key. */
  kid: string;
  /** DER in base64. */
  certificate: string;
  created_at: number;
  expires_at: number;
}

export interface Tables {
  keys: KeyRow;
  spent_kids: { owner: string; kid: string };
  dids: DidRow;
  did_keys: DidKeyRow;
  did_names: { name: string; owner: string };
  published_documents: PublishedDocumentRow;
  credentials: CredentialRow;
  credential_instances: CredentialInstanceRow;
  exchanges: ExchangeRow;
  sessions: SessionRow;
  spent_logins: { state_hash: string; expires_at: number };
  idempotent_requests: IdempotentRequestRow;
  attester_certificates: AttesterCertificateRow;
  audit_events: AuditEventRow;
  audit_exports: AuditExportRow;
}

export type Database = AnyDatabase<Tables>;
export type Reader = AnyReader<Tables>;
export type Tx = AnyTx<Tables>;
export type WalletChange = ChangeOn<Tables>;
