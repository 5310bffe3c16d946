// What an exchange with an issuer needs to go on, and what ends it.
import type { JsonWebKey } from 'node:crypto';
import type { CredentialOfferObject } from '@openid4vc/openid4vci';
import { Fault } from '../../platform/faults/index.ts';
import type { Exchange } from '../exchanges/index.ts';
import type { PendingAuthorization } from './authorization.ts';
import type { CheckedCopy } from './check.ts';
import type { CredentialConfiguration } from './offer.ts';
import type { ProofKey } from './proof-key.ts';
import type { BindingPreferences } from './proof-keys.ts';
import type { IssuerToken } from './token.ts';

/** One of the offered credentials, and how far it is. */
export interface RequestedCredential {
  readonly configurationId: string;
  /** The keys that were proved: what comes is bound to these. Exchanges that wait are stored with this name. */
  holdings?: readonly ProofKey[];
  /** The issuer takes its time, and knows it by this. */
  transactionId?: string;
  isDone?: boolean;
}

/** What an exchange needs to go on. */
export interface IssuanceData {
  readonly offer: CredentialOfferObject;
  parts: readonly RequestedCredential[];
  wanted: BindingPreferences;
  readonly dpopKey: JsonWebKey;
  authorization?: PendingAuthorization;
  token?: IssuerToken;
  /** Credentials stored so far. */
  readonly kept: string[];
  notifications: { readonly id: string; readonly event: 'credential_accepted' }[];
  tries: number;
  /** When an issuer that takes its time has taken too much of it. */
  endsAt?: number;
}

export type IssuanceExchange = Exchange<IssuanceData>;

export interface CredentialDelivery {
  readonly part: RequestedCredential;
  /** What it is stored under. */
  readonly id: string;
  readonly configuration: CredentialConfiguration;
  readonly notificationId: string | undefined;
  copies: readonly CheckedCopy[];
}

/** What the caller can mend, or the issuer may be over soon: the exchange waits for them. */
const RECOVERABLE = new Set([
  'tx-code-required',
  'tx-code-rejected',
  'upstream-timeout',
  // A key of a kind that takes long to make: it is made when the line is shorter.
  'too-many-at-once',
  'server.busy',
  'key-not-active/named',
  'no-active-key',
  'not-found',
  'invalid-request',
]);

/** Whether an exchange goes on after this. */
export const isRecoverable = (error: unknown): boolean =>
  error instanceof Fault && (RECOVERABLE.has(error.code) || error.detail?.temporary === true);
