// Asking the issuer for credentials: proofs, nonces, encryption, and answers that come later.
import { type CallbackContext, type RequestDpopOptions, resourceRequest } from '@openid4vc/oauth2';
import type { IssuerMetadataResult, Openid4vciClient } from '@openid4vc/openid4vci';
import { OutboundError } from '../../platform/outbound/index.ts';
import { fail, fault } from '../faults.ts';
import { WORD as OAUTH_WORD, upstreamFault } from '../protocols/index.ts';
import { decrypt, type Encryption, encryptionFor } from './encryption.ts';
import type { Configuration } from './offer.ts';
import type { Token } from './token.ts';

/** What the issuer gave, or when to ask again. */
export type CredentialAnswer =
  | { readonly kind: 'credentials'; readonly credentials: readonly unknown[]; readonly notificationId?: string }
  | { readonly kind: 'deferred'; readonly transactionId: string; readonly intervalSeconds: number };

export interface Asking {
  readonly client: Openid4vciClient;
  /** Signs DPoP proofs. */
  readonly callbacks: CallbackContext;
  readonly metadata: IssuerMetadataResult;
  readonly token: Token;
  readonly dpop: RequestDpopOptions | undefined;
}

const MAX_CREDENTIALS = 100;
const MAX_NAME = 2000;
const DEFAULT_INTERVAL = 60;
const LONGEST_INTERVAL = 7 * 24 * 3600;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Drafts say `credential`, the final text `credentials: [{credential}]`. */
function answerOf(body: unknown): CredentialAnswer {
  if (!isObject(body)) throw fault('upstream-error', { who: 'issuer', why: 'credential: its answer is not an object' });
  const { transaction_id: transactionId, interval, notification_id: notificationId } = body;
  if (typeof transactionId === 'string' && transactionId.length <= MAX_NAME) {
    const seconds =
      typeof interval === 'number' && interval > 0 ? Math.min(Math.ceil(interval), LONGEST_INTERVAL) : DEFAULT_INTERVAL;
    return { kind: 'deferred', transactionId, intervalSeconds: seconds };
  }
  const list = Array.isArray(body.credentials)
    ? body.credentials.map((one: unknown) => (isObject(one) && 'credential' in one ? one.credential : one))
    : body.credential === undefined
      ? []
      : [body.credential];
  if (list.length === 0) fail('credential-rejected', { why: 'the issuer sent none' });
  if (list.length > MAX_CREDENTIALS) fail('credential-rejected', { why: 'the issuer sent too many' });
  // One that is too long to be a name is not kept, and not sent back.
  const canBeTold = typeof notificationId === 'string' && notificationId.length <= MAX_NAME;
  return { kind: 'credentials', credentials: list, ...(canBeTold ? { notificationId } : {}) };
}

/** What an issuer answered instead: a word of the protocol, or how it failed in ours. Never its body. */
export class CredentialError extends Error {
  readonly isWord: boolean;
  readonly description: string | undefined;
  readonly status: number;
  /** For the next attempt: drafts send it with the refusal. */
  readonly nonce: string | undefined;
  constructor(
    error: string,
    more: { isWord?: boolean; status?: number; nonce?: unknown; description?: string | undefined } = {},
  ) {
    super(error);
    this.isWord = more.isWord ?? false;
    this.description = more.description;
    this.status = more.status ?? 200;
    this.nonce = typeof more.nonce === 'string' ? more.nonce : undefined;
  }
}

const WORD = /^[a-z_]{1,60}$/;
function refusalOf(body: unknown, status: number): CredentialError {
  const { error, error_description: text, c_nonce: nonce } = isObject(body) ? body : {};
  const description = typeof text === 'string' && OAUTH_WORD.test(text) ? text : undefined;
  return typeof error === 'string' && WORD.test(error)
    ? new CredentialError(error, { isWord: true, status, nonce, description })
    : new CredentialError(`status ${status}`, { status });
}

async function send(
  asking: Asking,
  url: string,
  payload: Record<string, unknown>,
  encryption: Encryption | undefined,
): Promise<unknown> {
  const { callbacks, token, dpop } = asking;
  const sealed = await encryption?.encrypt?.(payload);
  const result = await resourceRequest({
    url,
    accessToken: token.accessToken,
    callbacks,
    ...(token.dpop && dpop ? { dpop } : {}),
    requestOptions: {
      method: 'POST',
      headers: { 'Content-Type': sealed ? 'application/jwt' : 'application/json', Accept: 'application/json, application/jwt' },
      body: sealed ?? JSON.stringify(payload),
    },
  });
  const text = await result.response.text();
  const type = result.response.headers.get('content-type') ?? '';
  if (!result.ok) {
    const body: unknown = type.includes('json') ? jsonOf(text) : undefined;
    throw refusalOf(body, result.response.status);
  }
  if (type.includes('application/jwt')) {
    if (!encryption?.privateKey) throw new CredentialError('an encrypted answer that was not asked for');
    return parse(await decrypt(text, encryption.privateKey).catch(() => ''));
  }
  if (encryption?.privateKey) throw new CredentialError('an answer in the clear, where an encrypted one was asked for');
  return parse(text);
}

const NO_JSON = 'an answer that is not JSON';

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  const value = jsonOf(text);
  if (value === undefined) throw new CredentialError(NO_JSON);
  return value;
}

/** In our words. */
function toFault(error: unknown, endpoint: string): unknown {
  if (!(error instanceof CredentialError)) return upstreamFault(error, 'issuer', endpoint);
  const { description } = error;
  const words = { error: error.message, ...(description === undefined ? {} : { error_description: description }) };
  const said = error.isWord ? { protocol: { ...words, endpoint } } : {};
  const detail = { detail: { ...said, ...(isPassing(error) ? { temporary: true } : {}) } };
  if (error.message === 'credential_request_denied') return fault('issuance-denied', undefined, detail);
  return fault('upstream-error', { who: 'issuer', why: `${endpoint}: ${error.message}` }, detail);
}

/** Drafts had no endpoint for it: it came with the token, or with a refusal. */
async function nonceOf({ client, metadata, token }: Asking, refusal?: CredentialError): Promise<string | undefined> {
  if (!metadata.credentialIssuer.nonce_endpoint) return refusal?.nonce ?? token.nonce;
  try {
    return (await client.requestNonce({ issuerMetadata: metadata })).c_nonce;
  } catch (error) {
    throw upstreamFault(error, 'issuer', 'nonce');
  }
}

/** Before draft 15 a request named the format; the library knows how each draft wrote it. */
async function byLibrary(
  { client, metadata, token, dpop }: Asking,
  configuration: Configuration,
  jwts: readonly string[],
): Promise<unknown> {
  try {
    const { credentialResponse } = await client.retrieveCredentials({
      issuerMetadata: metadata,
      accessToken: token.accessToken,
      credentialConfigurationId: configuration.id,
      ...(token.dpop && dpop ? { dpop } : {}),
      ...(jwts.length > 1
        ? { proofs: { jwt: [...jwts] as [string, ...string[]] } }
        : jwts[0]
          ? { proof: { proof_type: 'jwt', jwt: jwts[0] } }
          : {}),
    });
    return credentialResponse;
  } catch (error) {
    const { response } = error as {
      response?: { response?: Response; credentialErrorResponseResult?: { data?: unknown } };
    };
    if (!response?.credentialErrorResponseResult) throw error;
    throw refusalOf(response.credentialErrorResponseResult.data, response.response?.status ?? 400);
  }
}

const LATEST = ['Draft15', 'V1'];

/** Drafts said so of the proof, and sent a fresh nonce along. */
const isNonceRefused = ({ message, nonce }: CredentialError): boolean =>
  message === 'invalid_nonce' || (nonce !== undefined && message === 'invalid_proof');

const deferredEndpointOf = ({ credentialIssuer: { deferred_credential_endpoint: url } }: IssuerMetadataResult): string =>
  url ?? fail('upstream-error', { who: 'issuer', why: 'it defers, and has no place to ask again' });

/** Asks once, and once more when only the nonce was too old. */
export async function requestCredential(
  asking: Asking,
  configuration: Configuration,
  proofsFor: (nonce: string | undefined) => Promise<readonly string[]>,
): Promise<CredentialAnswer> {
  const { metadata, token } = asking;
  const { id } = configuration;
  const [identifier] = Object.hasOwn(token.identifiers, id) ? token.identifiers[id]! : [];
  const attempt = async (refusal?: CredentialError): Promise<CredentialAnswer> => {
    const jwts = await proofsFor(await nonceOf(asking, refusal));
    if (!LATEST.includes(metadata.originalDraftVersion)) return answerOf(await byLibrary(asking, configuration, jwts));
    const encryption = await encryptionFor(metadata);
    const payload = {
      ...(identifier === undefined ? { credential_configuration_id: id } : { credential_identifier: identifier }),
      ...(jwts.length > 0 ? { proofs: { jwt: jwts } } : {}),
      ...encryption?.parameters,
    };
    return answerOf(await send(asking, metadata.credentialIssuer.credential_endpoint, payload, encryption));
  };
  try {
    const answer = await attempt().catch((error: unknown) => {
      const isStale = error instanceof CredentialError && isNonceRefused(error);
      return isStale ? attempt(error) : Promise.reject(error);
    });
    if (answer.kind === 'deferred') deferredEndpointOf(metadata);
    return answer;
  } catch (error) {
    throw toFault(error, 'credential');
  }
}

/** Whether asking later may help: what it promised before stays promised. Older drafts say "later" by an error. */
function isPassing(error: unknown): boolean {
  if (error instanceof CredentialError)
    return error.message === 'issuance_pending' || error.status >= 500 || error.status === 429;
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof OutboundError) return cause.kind === 'timeout' || cause.kind === 'failed';
  return false;
}

export async function requestDeferred(asking: Asking, transactionId: string): Promise<CredentialAnswer> {
  const url = deferredEndpointOf(asking.metadata);
  try {
    const encryption = await encryptionFor(asking.metadata);
    const payload = { transaction_id: transactionId, ...encryption?.parameters };
    const answer = answerOf(await send(asking, url, payload, encryption));
    if (answer.kind === 'deferred' && answer.transactionId !== transactionId)
      throw new CredentialError('it is about another transaction');
    return answer;
  } catch (error) {
    if (isPassing(error)) return { kind: 'deferred', transactionId, intervalSeconds: DEFAULT_INTERVAL };
    throw toFault(error, 'deferred credential');
  }
}

/** Told whether its credential was taken. Nobody waits for it, and it may come twice. */
export async function notify(
  asking: Asking,
  notificationId: string,
  event: 'credential_accepted' | 'credential_failure',
): Promise<void> {
  const { notification_endpoint: url } = asking.metadata.credentialIssuer;
  if (!url) return;
  try {
    await send(asking, url, { notification_id: notificationId, event }, undefined);
  } catch (error) {
    // An empty answer is the usual one.
    if (!(error instanceof CredentialError && error.message === NO_JSON)) throw error;
  }
}
