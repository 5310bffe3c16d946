// Checks assertions by which clients prove themselves (`private_key_jwt`: RFC 7523, OpenID Connect Core 9, FAPI 2.0 5.3.2.1).
import { type Clock, seconds } from '../../../platform/clock.ts';
import { decodeJws, verifyJws } from '../../../verifiable/jose/index.ts';
import {
  authenticationOf,
  type ClientKey,
  type Consumers,
  type ConsumerWithSecret,
  type RegisteredAuthentication,
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
/** The type may say what it is; it must not say that it is something else. */
const TYPES: readonly unknown[] = [undefined, 'jwt', 'client-authentication+jwt'];
const REPLAY_MODEL = 'ReplayDetection';

type Json = Readonly<Record<string, unknown>>;

/** What is sent to prove who a client is. */
export interface SentAssertion {
  readonly client_assertion?: unknown;
  readonly client_assertion_type?: unknown;
  readonly client_id?: unknown;
}

export interface AssertionUse {
  /** Who the assertion may be for: this service, its token endpoint, or the endpoint that is called. */
  readonly audiences: readonly string[];
}

export interface AssertionDeps {
  readonly consumers: Pick<Consumers, 'findWithSecret'>;
  readonly records: Pick<Records, 'save'>;
  readonly clock: Clock;
  readonly keys: ClientKeys;
}

function read({ client_assertion: assertion, client_assertion_type: type }: SentAssertion) {
  if (type !== ASSERTION_TYPE) refuse('client_assertion_type is not that of a JWT');
  try {
    return decodeJws(assertion, MAX_LENGTH);
  } catch {
    return refuse('it is no signed JWT');
  }
}

function checkType({ typ }: Json): void {
  if (!TYPES.includes(typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ))
    refuse('its type says that it is something else');
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** Returns when it ends. */
function checkTimes({ exp, iat, nbf }: Json, now: number): number {
  if (!isTime(exp)) return refuse('it has no exp');
  if (exp <= now - SKEW_SECONDS) refuse('it has expired');
  if (exp > now + LONGEST_SECONDS + SKEW_SECONDS) refuse('its exp is more than an hour ahead');
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

function checkAlgorithm({ alg }: Json, { algorithm }: RegisteredAuthentication): void {
  if (algorithm !== undefined && alg !== algorithm) refuse(`its algorithm is not ${algorithm}, which is registered`);
}

export function createClientAssertions({ consumers, records, clock, keys }: AssertionDeps) {
  async function clientOf(payload: Json, { client_id: named }: SentAssertion): Promise<ConsumerWithSecret> {
    const { iss, sub } = payload;
    if (typeof sub !== 'string' || sub === '' || iss !== sub) refuse('iss and sub are not both the client id');
    if (named !== undefined && named !== sub) refuse('client_id is another one');
    const consumer = (await consumers.findWithSecret(sub)) ?? refuse('there is no such application');
    if (authenticationOf(consumer).method !== 'private_key_jwt') refuse('the application is registered with another method');
    return consumer;
  }

  /** Last: only whoever has the key can use an id up. In one statement, which one of several replicas wins. */
  async function useOnce(clientId: string, jti: unknown, exp: number): Promise<void> {
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID) return refuse('it has no jti');
    // Longer than it is good: a replica whose clock is ahead deletes what has expired by its own.
    const lifetime = Math.max(exp - seconds(clock), 0) + 10 * SKEW_SECONDS;
    const isNew = await records.save(REPLAY_MODEL, `assertion ${clientId} ${jti}`, {}, lifetime, true);
    if (!isNew) refuse('it was used before');
  }

  return {
    /** The client that an assertion proves. Each assertion is good once. Throws a ClientAuthenticationError. */
    async check(sent: SentAssertion, { audiences }: AssertionUse): Promise<ConsumerWithSecret> {
      const { header, payload } = read(sent);
      checkType(header);
      const consumer = await clientOf(payload, sent);
      const registered = authenticationOf(consumer);
      checkAlgorithm(header, registered);
      const exp = checkTimes(payload, seconds(clock));
      checkAudience(payload, audiences);
      const kid = typeof header.kid === 'string' ? header.kid : undefined;
      await checkSignature(String(sent.client_assertion), header, await keys.read(registered, kid));
      await useOnce(consumer.id, payload.jti, exp);
      return consumer;
    },
  };
}

export type ClientAssertions = ReturnType<typeof createClientAssertions>;
