// The data of an exchange with an issuer, and which errors are recoverable.
import type { JsonWebKey } from 'node:crypto';
import type { CredentialOfferObject } from '@openid4vc/openid4vci';
import { Fault } from '../../platform/faults/index.ts';
import type { Description } from '../credentials/index.ts';
import type { Exchange } from '../exchanges/index.ts';
import type { CheckedCopy } from './check.ts';
import type { ClientMethod } from './client-authentication.ts';
import type { CredentialConfiguration } from './offer.ts';
import type { ProofKey } from './proof-key.ts';
import type { BindingPreferences } from './proof-keys.ts';
import type { IssuerToken } from './token.ts';

export interface PendingAuthorization {
  readonly state: string;
  readonly verifier: string | undefined;
  readonly authorizationServer: string;
  /** How the wallet authenticated when it pushed the request. */
  readonly pushedBy?: ClientMethod;
}

/** One of the offered credentials, and its progress. */
export interface RequestedCredential {
  readonly configurationId: string;
  /** The keys of the proofs, which the credential must be bound to. The name is part of stored exchanges. */
  holdings?: readonly ProofKey[];
  /** The transaction id of a deferred credential. */
  transactionId?: string;
  isDone?: boolean;
}

/** The sealed data of an exchange. Its names are part of stored exchanges. */
export interface IssuanceData {
  readonly offer: CredentialOfferObject;
  parts: readonly RequestedCredential[];
  wanted: BindingPreferences;
  readonly dpopKey: JsonWebKey;
  /** What the last preview showed. Only that may be accepted. */
  previewed?: string;
  authorization?: PendingAuthorization;
  token?: IssuerToken;
  /** Ids of the credentials stored so far. */
  readonly kept: string[];
  notifications: { readonly id: string; readonly event: 'credential_accepted' }[];
  tries: number;
  /** When to give up on a deferred credential. */
  endsAt?: number;
}

export type IssuanceExchange = Exchange<IssuanceData>;

export interface CredentialDelivery {
  readonly part: RequestedCredential;
  /** The id for the new credential. */
  readonly id: string;
  readonly configuration: CredentialConfiguration;
  readonly notificationId: string | undefined;
  copies: readonly CheckedCopy[];
  description: Description;
}

/** Faults that the caller can fix, or that are temporary. The exchange waits. */
const RECOVERABLE = new Set([
  'preview-outdated',
  'tx-code-required',
  'tx-code-rejected',
  'upstream-timeout',
  // The queue for slow key generation is full.
  'too-many-at-once',
  'server.busy',
  'key-not-active/named',
  'no-active-key',
  'not-found',
  'invalid-request',
]);

/** Whether the exchange can be continued after this error. */
export const isRecoverable = (error: unknown): boolean =>
  error instanceof Fault && (RECOVERABLE.has(error.code) || error.detail?.temporary === true);
