// What an exchange with an issuer needs to go on, and what ends it.
import type { JsonWebKey } from 'node:crypto';
import type { CredentialOfferObject } from '@openid4vc/openid4vci';
import { Fault } from '../../platform/faults/index.ts';
import type { Exchange } from '../exchanges/index.ts';
import type { PendingAuthorization } from './authorization.ts';
import type { Checked } from './check.ts';
import type { Holding } from './holding.ts';
import type { Configuration } from './offer.ts';
import type { Token } from './token.ts';

/** One of the offered credentials, and how far it is. */
export interface Part {
  readonly configurationId: string;
  /** What proofs were made with: what comes is bound to these. */
  holdings?: readonly Holding[];
  /** The issuer takes its time, and knows it by this. */
  transactionId?: string;
  isDone?: boolean;
}

/** What an exchange needs to go on. */
export interface IssuanceData {
  readonly offer: CredentialOfferObject;
  parts: readonly Part[];
  wanted: { readonly keyId?: string | undefined; readonly didId?: string | undefined; readonly count: number };
  readonly dpopKey: JsonWebKey;
  authorization?: PendingAuthorization;
  token?: Token;
  /** Credentials kept so far. */
  readonly kept: string[];
  notifications: { readonly id: string; readonly event: 'credential_accepted' }[];
  tries: number;
  /** When an issuer that takes its time has taken too much of it. */
  endsAt?: number;
}

export type Running = Exchange<IssuanceData>;

export interface Received {
  readonly part: Part;
  /** What it is kept under. */
  readonly id: string;
  readonly configuration: Configuration;
  readonly notificationId: string | undefined;
  copies: readonly Checked[];
}

/** What the caller can mend, or the issuer may be over soon: the exchange waits for them. */
const MENDABLE = new Set([
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
export const canBeMended = (error: unknown): boolean =>
  error instanceof Fault && (MENDABLE.has(error.code) || error.detail?.temporary === true);
