// Checks assertions by which clients prove themselves (`private_key_jwt`: RFC 7523, OpenID Connect Core 9, FAPI 2.0 5.3.2.1), or which prove them by
// the word of the platform that runs them (`workload_jwt`).
import { type Clock, seconds } from '../../../platform/clock.ts';
import { addressKey, type Throttle } from '../../../platform/limits/index.ts';
import { decodeJws, verifyJws } from '../../../verifiable/jose/index.ts';
import type { ClientRegistration } from '../../applications/client-registration/index.ts';
import {
  authenticationOf,
  type ClientAuthenticationMethod,
  type ClientKey,
  type Consumers,
  type ConsumerWithSecret,
  PROFILE_ALGORITHMS,
  type RegisteredAuthentication,
  SECURITY_PROFILES,
  securityProfileOf,
} from '../../applications/consumers/index.ts';
import type { Records } from '../records/index.ts';
import type { ClientKeys } from './client-keys.ts';

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** The reason is for the log: a client learns only that it was not recognized. */
export class ClientAuthenticationError extends Error {}

function refuse(why: string): never {
  throw new ClientAuthenticationError(why);
}

const MAX_LENGTH = 8 * 1024;
const MAX_ID = 256;
/** Clocks differ (FAPI 2.0, 5.3.2.1: 10 seconds at least, 60 at most). */
const SKEW_SECONDS = 30;
/** Its use is remembered until it ends. */
const LONGEST_SECONDS = 3600;
/** Platforms renew theirs, mostly within an hour. */
const LONGEST_OF_PLATFORMS = 86_400;
const REPLAY_MODEL = 'ReplayDetection';

type Json = Readonly<Record<string, unknown>>;

/** What is sent to prove who a client is. */
export interface SentAssertion {
  readonly client_assertion?: unknown;
  readonly client_assertion_type?: unknown;
  readonly client_id?: unknown;
}

export interface AssertionUse {
  /** Who the assertion may be for: this service, first, its token endpoint, or the endpoint that is called. */
  readonly audiences: readonly string[];
  /** Of who sends it: what strangers have fetched and stored is limited by address. */
  readonly address: string;
}

export interface AssertionDeps {
  readonly consumers: Pick<Consumers, 'findWithSecret'>;
  readonly clientRegistration: { readonly documents: Pick<ClientRegistration['documents'], 'isDocumentId' | 'find'> };
  readonly records: Pick<Records, 'save'>;
  readonly clock: Clock;
  readonly keys: ClientKeys;
  /** Limits what anonymous requests have stored, by address. */
  readonly unfinished: Throttle;
}

function read({ client_assertion: assertion, client_assertion_type: type }: SentAssertion) {
  if (type !== ASSERTION_TYPE) refuse('client_assertion_type is not that of a JWT');
  try {
    return decodeJws(assertion, MAX_LENGTH);
  } catch {
    return refuse('it is no signed JWT');
  }
}

/** The type may say what it is; it must not say that it is something else. */
function checkType({ typ }: Json, types: readonly string[]): void {
  const said = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ;
  if (said !== undefined && !(types as readonly unknown[]).includes(said)) refuse('its type says that it is something else');
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** Returns when it ends. */
function checkTimes({ exp, iat, nbf }: Json, now: number, longest: number): number {
  if (!isTime(exp)) return refuse('it has no exp');
  if (exp <= now - SKEW_SECONDS) refuse('it has expired');
  if (exp > now + longest + SKEW_SECONDS) refuse(`its exp is more than ${longest} seconds ahead`);
  for (const [name, value] of Object.entries({ iat, nbf })) {
    if (value === undefined) continue;
    if (!isTime(value) || value > now + SKEW_SECONDS) refuse(`its ${name} is in the future, or no time`);
  }
  return exp;
}

/** Each audience must be us: one that is for somebody else, too, could be shown here by them. */
function checkAudience({ aud }: Json, audiences: readonly string[]): void {
  const named = Array.isArray(aud) ? aud : [aud];
  if (named.length === 0 || !named.every((one) => typeof one === 'string' && audiences.includes(one)))
    refuse('its aud is not this service');
}

async function checkSignature(assertion: string, header: Json, keys: readonly ClientKey[]): Promise<void> {
  const { alg, kid } = header;
  const fitting = keys.filter(
    (key) =>
      (key.algorithms as readonly unknown[]).includes(alg) && (kid === undefined || key.kid === undefined || key.kid === kid),
  );
  for (const { jwk } of fitting) {
    const isSigned = await verifyJws(assertion, jwk, MAX_LENGTH).then(
      () => true,
      () => false,
    );
    if (isSigned) return;
  }
  refuse('no registered key has signed it');
}

function checkAlgorithm({ alg }: Json, { algorithm }: RegisteredAuthentication, hasProfile: boolean): void {
  if (algorithm !== undefined && alg !== algorithm) refuse(`its algorithm is not ${algorithm}, which is registered`);
  if (hasProfile && !PROFILE_ALGORITHMS.includes(String(alg))) refuse('its algorithm is not one of the profile');
}

/** An assertion, and the client that it names. */
interface Presented {
  readonly assertion: string;
  readonly header: Json;
  readonly payload: Json;
  readonly consumer: ConsumerWithSecret;
  readonly registered: RegisteredAuthentication;
  readonly audiences: readonly string[];
}

const kidOf = ({ kid }: Json): string | undefined => (typeof kid === 'string' ? kid : undefined);

/** Last: only whoever has the key can use an id up. In one statement, which one of several replicas wins. */
async function useOnce({ records, clock }: AssertionDeps, clientId: string, jti: unknown, exp: number): Promise<void> {
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID) return refuse('it has no jti');
  // Longer than it is good: a replica whose clock is ahead deletes what has expired by its own.
  const lifetime = Math.max(exp - seconds(clock), 0) + 10 * SKEW_SECONDS;
  const isNew = await records.save(REPLAY_MODEL, `assertion ${clientId} ${jti}`, {}, lifetime, true);
  if (!isNew) refuse('it was used before');
}

/** The application has signed it itself. */
async function checkOwn(deps: AssertionDeps, presented: Presented): Promise<void> {
  const { assertion, header, payload, consumer, registered, audiences } = presented;
  if (payload.iss !== consumer.id || payload.sub !== consumer.id) refuse('iss and sub are not both the client id');
  checkType(header, ['jwt', 'client-authentication+jwt']);
  const profile = securityProfileOf(consumer);
  checkAlgorithm(header, registered, profile !== undefined);
  const exp = checkTimes(payload, seconds(deps.clock), LONGEST_SECONDS);
  if (profile && SECURITY_PROFILES[profile].provesToIssuerAlone && payload.aud !== audiences[0])
    refuse('its aud is not the issuer alone');
  checkAudience(payload, audiences);
  await checkSignature(assertion, header, await deps.keys.read(registered, kidOf(header)));
  await useOnce(deps, consumer.id, payload.jti, exp);
}

/**
 * The platform that runs the application has signed it: bound to this platform, to what it calls the workload, and to the audience. Not good once,
 * because a platform gives a new one only now and then.
 */
async function checkWorkload(deps: AssertionDeps, presented: Presented): Promise<void> {
  const { assertion, header, payload, registered, audiences } = presented;
  const identity =
    registered.workloads.find(({ issuer, subject }) => issuer === payload.iss && subject === payload.sub) ??
    refuse('iss and sub are those of no workload that is registered');
  checkType(header, ['jwt', 'jose']);
  checkTimes(payload, seconds(deps.clock), LONGEST_OF_PLATFORMS);
  checkAudience(payload, [identity.audience ?? audiences[0]!]);
  await checkSignature(assertion, header, await deps.keys.read(identity, kidOf(header)));
}

/** By how the application is registered. In other ways no assertion proves it. */
const CHECKS: Readonly<
  Record<ClientAuthenticationMethod, ((deps: AssertionDeps, presented: Presented) => Promise<void>) | undefined>
> = {
  private_key_jwt: checkOwn,
  workload_jwt: checkWorkload,
  client_secret_basic: undefined,
  client_secret_post: undefined,
  tls_client_auth: undefined,
  self_signed_tls_client_auth: undefined,
  none: undefined,
};

export function createClientAssertions(deps: AssertionDeps) {
  const { consumers, clientRegistration, unfinished } = deps;

  /**
   * One whose id is a document has the keys of the document, as it is now. Anybody can have a document: until a person has allowed it something, it is
   * nobody's, and what its assertions have stored counts as that of other anonymous requests.
   */
  async function find(id: string, address: string): Promise<ConsumerWithSecret | undefined> {
    const { documents } = clientRegistration;
    if (!documents.isDocumentId(id)) return consumers.findWithSecret(id);
    const found = await documents.find(id, address);
    if (found && !found.isStored) {
      if (!unfinished.has(addressKey(address)))
        refuse('too many of applications that nobody has allowed anything, from this address');
      unfinished.take(addressKey(address));
    }
    return found?.row;
  }

  /** The workloads of a platform have other names than the application, so that it has to be named. */
  async function clientOf({ sub }: Json, { client_id: named }: SentAssertion, address: string): Promise<ConsumerWithSecret> {
    const id = named ?? sub;
    if (typeof id !== 'string' || id === '') return refuse('it names no application');
    return (await find(id, address)) ?? refuse('there is no such application');
  }

  return {
    /** The client that an assertion proves. Throws a ClientAuthenticationError. */
    async check(sent: SentAssertion, { audiences, address }: AssertionUse): Promise<ConsumerWithSecret> {
      const { header, payload } = read(sent);
      const consumer = await clientOf(payload, sent, address);
      const registered = authenticationOf(consumer);
      const check = CHECKS[registered.method] ?? refuse('the application is registered with another method');
      await check(deps, { assertion: String(sent.client_assertion), header, payload, consumer, registered, audiences });
      return consumer;
    },
  };
}

export type ClientAssertions = ReturnType<typeof createClientAssertions>;
