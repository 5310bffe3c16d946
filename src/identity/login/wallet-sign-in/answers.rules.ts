// Answers of wallets: decrypted, verified, and kept until the person is back (OID4VP 1.0, 8). What a wallet says is checked here as far
// as it says it itself; whether the credential and its user may still enter is decided when they do.
import { randomInt, timingSafeEqual } from 'node:crypto';
import { newSecret } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log/index.ts';
import {
  CredentialRejectedError,
  FORMATS,
  type FormatName,
  type QueryMeta,
  type VerifiedCredential,
} from '../../../verifiable/formats/index.ts';
import { issuedFormatShownAs } from '../../../verifiable/issuing/index.ts';
import { type PublicJwk, thumbprintOf } from '../../../verifiable/jose/index.ts';
import type { PresentationVerifier } from '../../../verifiable/presentations/index.ts';
import type { StatusEntry } from '../../../verifiable/status/index.ts';
import { TrustError } from '../../../verifiable/trust/index.ts';
import {
  ANSWER,
  countAttempt,
  type PresentedCredential,
  REQUEST,
  RESPONSE,
  type StoredAnswer,
  type StoredRequest,
  type VerifierIdentity,
  WALLET_SECONDS,
  type WalletRecords,
} from './data.ts';
import { loadVerifier } from './library.ts';
import type { ProviderCredentials } from './provider-credentials.ts';
import { CONTENT_ENCRYPTION, responsePath } from './requests.rules.ts';

/** Why an answer is not taken. The code is for the wallet, the reason for the log; neither says anything of a user. */
export class WalletAnswerError extends Error {
  readonly code: 'invalid_request' | 'expired';
  constructor(code: WalletAnswerError['code'], why: string) {
    super(why);
    this.code = code;
  }
}

const refuse = (why: string): never => {
  throw new WalletAnswerError('invalid_request', why);
};

export interface WalletAnswerDeps {
  readonly log: Log;
  readonly records: WalletRecords;
  readonly identity: Pick<VerifierIdentity, 'id'>;
  readonly verifyOwn: PresentationVerifier;
  /** Credentials of other issuers. */
  readonly providerCredentials: Pick<ProviderCredentials, 'verify'>;
}

/** A person whose wallet has answered, at the address that the wallet opened. */
export interface OpenedResponse {
  readonly requestId: string;
  readonly request: StoredRequest;
  /** To be typed in the browser; only for another device. */
  readonly code: string | undefined;
}

const CODE_LIMIT = 1_000_000;

const newCode = (): string => String(randomInt(CODE_LIMIT)).padStart(6, '0');

export const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** All entries of ours mean the same record. */
function entryOf({ status }: VerifiedCredential): { readonly list: string; readonly index: number } {
  const entry: StatusEntry | undefined = status;
  if (!entry || entry.kind === 'unreadable') return refuse('it has no entry in a status list');
  return { list: entry.uri, index: entry.index };
}

/** Ours are bound to a key. */
const thumbprintIn = ({ binding }: VerifiedCredential): string =>
  binding.kind === 'jwk' ? thumbprintOf(binding.jwk) : refuse('it is not bound to a key');

async function decrypt(jwe: string, key: StoredRequest['key']): Promise<string | undefined> {
  const { compactDecrypt, importJWK } = await import('jose');
  try {
    const { plaintext } = await compactDecrypt(jwe, await importJWK(key, 'ECDH-ES'), {
      keyManagementAlgorithms: ['ECDH-ES'],
      contentEncryptionAlgorithms: CONTENT_ENCRYPTION,
    });
    return Buffer.from(plaintext).toString('utf8');
  } catch {
    return undefined;
  }
}

/** As OID4VP 1.0, 8.1 has it: lists of presentations by query. The library also reads two forms of earlier drafts. */
function isFinalForm(payload: string): boolean {
  const { vp_token: token } = JSON.parse(payload) as { vp_token?: unknown };
  return typeof token === 'object' && token !== null && !Array.isArray(token) && Object.values(token).every(Array.isArray);
}

/** The only presentation of an answer, and the query that it answers. */
async function presentationIn(request: StoredRequest, response: string): Promise<{ query: string; presentation: unknown }> {
  let decrypted = '';
  const callbacks = {
    decryptJwe: async (jwe: string) => {
      const payload = await decrypt(jwe, request.key);
      decrypted = payload ?? '';
      return payload === undefined ? { decrypted: false } : { decrypted: true, payload, decryptionJwk: request.key };
    },
    // Answers are encrypted; a signature of the wallet over them is no substitute, and we know no key of any wallet.
    verifyJwt: async () => ({ verified: false }),
  };
  const verifier = await loadVerifier(callbacks as never);
  const parsed = await verifier
    .parseOpenid4vpAuthorizationResponse({
      authorizationResponse: { response },
      authorizationRequestPayload: request.asked as never,
      callbacks: callbacks as never,
    })
    .catch(() => refuse('it is not an answer to this request'));
  if (parsed.type !== 'dcql' || parsed.jarm?.type !== 'Encrypted') return refuse('it is not an encrypted answer to this query');
  if (!isFinalForm(decrypted)) return refuse('vp_token is not in the form of OID4VP 1.0');
  const [[query, presentations] = ['', []], ...others] = Object.entries(parsed.dcql.presentations);
  if (others.length > 0 || presentations.length !== 1) refuse('it is not one credential');
  return { query, presentation: presentations[0] };
}

export function createWalletAnswers({ log, records, identity, verifyOwn, providerCredentials }: WalletAnswerDeps) {
  const USERS = '/v3/users/';
  const userIn = ({ format, subject }: VerifiedCredential): string | undefined =>
    (issuedFormatShownAs(format)?.userIn(subject, identity.id() + USERS) ?? refuse('it names nobody here')).id;

  async function verify(request: StoredRequest, query: string, presentation: unknown): Promise<PresentedCredential> {
    const source = Object.hasOwn(request.sources, query) ? request.sources[query] : undefined;
    const asked = (
      request.asked.dcql_query as { credentials: { id: string; format: FormatName; meta: QueryMeta }[] }
    ).credentials.find(({ id }) => id === query);
    if (!source || !asked) return refuse('it answers something that was not asked');
    const { nonce, client_id: audience, response_uri: responseUri } = request.asked as Readonly<Record<string, string>>;
    const encryptionThumbprint = Buffer.from(thumbprintOf(request.key as unknown as PublicJwk), 'base64url');
    const handover = { responseUri: responseUri!, encryptionThumbprint };
    const expected = { nonce: nonce!, audience: audience!, since: request.at, handover };
    const isAsked = (credential: VerifiedCredential): boolean => FORMATS[asked.format].query.isAsked(credential, asked.meta);
    if (source.kind === 'provider') return providerCredentials.verify(source, presentation, expected, isAsked);
    const credential = await verifyOwn(asked.format, presentation, expected);
    if (!isAsked(credential)) refuse('it is of another type than was asked for');
    return { kind: 'own', userId: userIn(credential), ...entryOf(credential), keyThumbprint: thumbprintIn(credential) };
  }

  /** The reason of a refusal is for the operator. It holds no data of the credential. */
  async function checked(id: string, request: StoredRequest, response: string): Promise<PresentedCredential> {
    try {
      const { query, presentation } = await presentationIn(request, response);
      return await verify(request, query, presentation);
    } catch (error) {
      const isRefusal =
        error instanceof WalletAnswerError || error instanceof CredentialRejectedError || error instanceof TrustError;
      if (!isRefusal) throw error;
      log.info({ request: id.slice(0, 6), reason: error.message }, 'answer of a wallet refused');
      return refuse('the answer is not valid');
    }
  }

  return {
    /** Returns where the wallet sends its browser. */
    async receive(id: string, form: URLSearchParams): Promise<{ readonly redirectUri?: string }> {
      const request = (await records.find(REQUEST, id)) as StoredRequest | undefined;
      if (!request) throw new WalletAnswerError('expired', 'there is no such request, or it has expired');
      const response = form.get('response');
      // The person declined, or the wallet has nothing to show. They go on in the browser.
      if (response === null && form.has('error') && form.get('state') === request.asked.state) return {};
      if (response === null || form.getAll('response').length !== 1) return refuse('there is no encrypted answer');
      if (!(await countAttempt(records, `answer ${id}`))) return refuse('there were too many answers');
      const shown = await checked(id, request, response);
      const code = newSecret();
      const answer: StoredAnswer = { shown, proof: request.device === 'same' ? code : newCode() };
      if (!(await records.save(ANSWER, id, answer, WALLET_SECONDS, true))) return refuse('it was answered before');
      await records.save(RESPONSE, code, { request: id }, WALLET_SECONDS, true);
      return { redirectUri: identity.id() + responsePath(code) };
    },

    /** By the secret in the address that the wallet opened. */
    async open(code: string): Promise<OpenedResponse | undefined> {
      const requestId = (await records.find(RESPONSE, code))?.request as string | undefined;
      if (requestId === undefined) return undefined;
      const request = (await records.find(REQUEST, requestId)) as StoredRequest | undefined;
      const answer = (await records.find(ANSWER, requestId)) as (StoredAnswer & { consumed?: number }) | undefined;
      if (!request || !answer || answer.consumed !== undefined) return undefined;
      return { requestId, request, code: request.device === 'other' ? answer.proof : undefined };
    },

    /** The person says that it was not them. */
    async forget(code: string): Promise<void> {
      const requestId = (await records.find(RESPONSE, code))?.request as string | undefined;
      if (requestId === undefined) return;
      // The request, too: whoever sent it to them could send it again.
      for (const model of [REQUEST, ANSWER]) await records.destroy(model, requestId);
      await records.destroy(RESPONSE, code);
    },
  };
}

export type WalletAnswers = ReturnType<typeof createWalletAnswers>;
