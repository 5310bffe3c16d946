// What is stored of a sign-in with a wallet, and what it needs of others.
import type { StatusReference } from '../../../verifiable/status/index.ts';
import type { Tx } from '../../ground/database/index.ts';
import type { ProviderAssertion } from '../federation/index.ts';
import type { WalletPlace } from './policy.ts';

/** How long a person has to answer, and to come back. */
export const WALLET_SECONDS = 300;

/** Of the service as issuer. Requests are signed by its key only where wallets know it by its DID. */
export interface VerifierIdentity {
  id(): string;
  did(): string | undefined;
  /** Of what it issues: leaf first, DER in base64. */
  chain(): Promise<readonly string[]>;
  sign(payload: Readonly<Record<string, unknown>>, header: { typ: string; by: 'x5c' | 'did' | 'kid' }): Promise<string>;
  publicKeys(): Promise<readonly object[]>;
}

/** Signs requests with a certificate that is for them. */
export interface RequestSigner {
  /** Leaf first, DER in base64. */
  chain(): Promise<readonly string[]>;
  /** Whether its certificate names the host of the service. */
  namesHost(): boolean;
  /** With the chain. */
  sign(payload: Readonly<Record<string, unknown>>, header: { typ: string }): Promise<string>;
}

/** The state of a credential that was issued here, at this moment. */
export interface IssuedState {
  readonly userId: string;
  readonly typeId: string;
  readonly state: 'valid' | 'revoked' | 'suspended';
  /** In seconds. */
  readonly expiresAt: number;
  /** Of the key that it was issued to. */
  readonly keyThumbprint: string;
}

/** By entry of a status list: the address of the list, and the place in it. */
export type StateOf = (tx: Tx, list: string, index: number) => Promise<IssuedState | undefined>;

/** Stored for a few minutes, sealed, and found by a secret only. */
export interface WalletRecords {
  /** `once`: false when it exists; only one of several concurrent callers succeeds. */
  save(model: string, id: string, payload: object, lifetime: number, once: boolean): Promise<boolean>;
  find(model: string, id: string): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** False when it was consumed before, or is gone. */
  consumeIn(tx: Tx, model: string, id: string): Promise<boolean>;
  /** False when it is gone already; only one of several concurrent callers removes it. */
  destroy(model: string, id: string): Promise<boolean>;
}

/** The same device: the wallet sends the browser back. Another: its screen shows a code, which is typed in the browser. */
export type WalletDevice = 'same' | 'other';

/** Of a sign-in in a browser. */
export interface WalletSituation {
  /** The id of the interaction. */
  readonly interaction: string;
  readonly place: WalletPlace;
  readonly application: string;
  readonly address: string;
  readonly userAgent: string;
}

/** A credential of another issuer that is asked for. */
export interface ProviderSource {
  readonly kind: 'provider';
  readonly providerId: string;
  /** Of the settings of the provider: an answer is not checked with others. */
  readonly version: number;
  /** Which of its credentials, from 0. */
  readonly at: number;
}

/** A credential that is asked for. */
export type WalletSource = { readonly kind: 'own' } | ProviderSource;

/** A request to a wallet, as it is stored. The names `clientId`, `uid` and `session` mean something else in records. */
export interface StoredRequest extends WalletSituation {
  readonly device: WalletDevice;
  /** The signed request. */
  readonly jwt: string;
  /** Its parameters. */
  readonly asked: Readonly<Record<string, unknown>>;
  /** By the id of the credential query. */
  readonly sources: Readonly<Record<string, WalletSource>>;
  /** Decrypts the answer: a private JWK, of this request only. */
  readonly key: Readonly<Record<string, unknown>>;
  /** In milliseconds. */
  readonly at: number;
}

/** A credential of ours that was shown, verified as far as it says itself. Its state is read when the person enters. */
export interface OwnCredential {
  readonly kind: 'own';
  /** Whom it names. A W3C credential may name the holder's DID instead: then only the record of it says who they are. */
  readonly userId: string | undefined;
  readonly list: string;
  readonly index: number;
  /** Of the key by which it was shown. An entry of a list may be that of another credential by now. */
  readonly keyThumbprint: string;
}

/** What the state of a credential of another issuer depends on. It is read when the person enters, and again before an account is made or linked. */
export interface CredentialState {
  readonly providerId: string;
  readonly version: number;
  readonly issuer: string;
  readonly authorityKeyIds?: readonly string[];
  readonly isOfDocument?: boolean;
  readonly status?: StatusReference;
  /** In milliseconds. */
  readonly validUntil?: number;
}

/** A credential of another issuer, whom the provider trusts. */
export interface ProviderCredential {
  readonly kind: 'provider';
  readonly assertion: ProviderAssertion;
  readonly state: CredentialState;
}

export type PresentedCredential = OwnCredential | ProviderCredential;

/** The answer to a request. There is one at most. */
export interface StoredAnswer {
  readonly shown: PresentedCredential;
  /** What proves that the browser belongs to the wallet: in the address it is sent to, or typed by the person. */
  readonly proof: string;
}

/** Two requests, of which one is answered. */
export interface WalletRequests {
  readonly place: WalletPlace;
  readonly same: { readonly id: string; readonly link: string };
  readonly other: { readonly id: string; readonly link: string };
  readonly at: number;
}

export const REQUEST = 'WalletRequest';
export const ANSWER = 'WalletAnswer';
/** By the secret in the address that a wallet opens. */
export const RESPONSE = 'WalletResponse';
/** Numbered, so that there is a limit. */
export const TRY = 'WalletTry';

/** How often answers or codes may be wrong. */
const MAX_TRIES = 5;

/** False after too many. */
export async function countAttempt(records: WalletRecords, about: string): Promise<boolean> {
  for (let number = 1; number <= MAX_TRIES; number++)
    if (await records.save(TRY, `${about} ${number}`, {}, WALLET_SECONDS, true)) return true;
  return false;
}
