// Which client calls one of our own endpoints: by its secret, an assertion or a certificate, as it is registered.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../platform/clock.ts';
import type { CertificateOf } from '../../../platform/http/index.ts';
import type { AttemptOrigin, Gate } from '../../../platform/limits/index.ts';
import type { Log } from '../../../platform/log/index.ts';
import { tagOf } from '../../access/context/index.ts';
import { appTagOf } from '../../applications/app-roles/index.ts';
import {
  authenticationOf,
  CLIENT_AUTHENTICATIONS,
  type ClientProof,
  type Consumers,
  type ConsumerWithSecret,
  introspectionAlgorithmOf,
  isStrangers,
  SECURITY_PROFILES,
  securityProfileOf,
} from '../../applications/consumers/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { type ClientAssertions, ClientAuthenticationError } from './assertions.ts';
import type { ClientCertificates } from './certificates.ts';
import { audiencesAt } from './checked-requests.ts';

/** A client that is authenticated. */
export interface AuthenticatedClient {
  readonly id: string;
  /** It learns of its own tokens only: nobody knows that it is the application, or who made it. */
  readonly seesOwnOnly: boolean;
  /** The algorithm of answers that it wants to have signed. */
  readonly signedBy: string;
  /** Whether it takes no others. */
  readonly mustBeSigned: boolean;
  /** Time in seconds when its secret ends; undefined for the current secret. */
  readonly until?: number;
}

export interface ClientCredentials {
  readonly id: string;
  /** Undefined for a public client. */
  readonly secret: string | undefined;
}

/** HTTP Basic, where both parts are form-encoded (RFC 6749, 2.3.1). */
export function credentialsFromHeader(authorization: string): ClientCredentials | undefined {
  const basic = /^Basic +([A-Za-z0-9+/_-]+=*)$/i.exec(authorization)?.[1];
  const text = Buffer.from(basic ?? '', 'base64').toString();
  const at = text.indexOf(':');
  try {
    const decode = (part: string): string => decodeURIComponent(part.replaceAll('+', ' '));
    return at < 0 ? undefined : { id: decode(text.slice(0, at)), secret: decode(text.slice(at + 1)) };
  } catch {
    return undefined;
  }
}

type Body = Readonly<Record<string, unknown>>;

function credentialsFromBody({ client_id: id, client_secret: secret }: Body): ClientCredentials | undefined {
  return typeof id === 'string' ? { id, secret: typeof secret === 'string' ? secret : undefined } : undefined;
}

const isBasic = (authorization: string): boolean => /^Basic\b/i.test(authorization);

function isSame(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function signsMessages(consumer: ConsumerWithSecret): boolean {
  const profile = securityProfileOf(consumer);
  return profile !== undefined && SECURITY_PROFILES[profile].signsMessages;
}

export interface AuthenticatorDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly consumers: Consumers;
  readonly clientAssertions: ClientAssertions;
  readonly clientCertificates: ClientCertificates;
  readonly certificateOf: CertificateOf;
  readonly gate: Gate;
  readonly log: Pick<Log, 'info'>;
  issuer(): string;
}

/** What a request shows beside an assertion. */
interface Shown {
  readonly secret: string | undefined;
  readonly raw: IncomingMessage;
}

/** For how long it counts, in seconds; no end if there is none. */
interface Proved {
  readonly until?: number;
}

type Check = (deps: AuthenticatorDeps, consumer: ConsumerWithSecret, shown: Shown) => Promise<Proved | undefined>;

/** By what proves a client. An assertion names it itself, and is checked before. */
const CHECKS: Readonly<Record<ClientProof, Check>> = {
  async secret(_deps, { plainSecret, plainPreviousSecret: previous, previous_secret_until: until }, { secret }) {
    if (secret === undefined) return undefined;
    const [isCurrent, isPrevious] = [isSame(secret, plainSecret), previous !== undefined && isSame(secret, previous)];
    if (isCurrent) return {};
    return isPrevious && until !== null ? { until } : undefined;
  },
  key: async () => undefined,
  workload: async () => undefined,
  async certificate({ clientCertificates, certificateOf }, consumer, { secret, raw }) {
    const certificate = secret === undefined ? certificateOf(raw) : undefined;
    return certificate && (await clientCertificates.prove(authenticationOf(consumer), certificate)) ? {} : undefined;
  },
  nothing: async (_deps, _consumer, { secret }) => (secret === undefined ? {} : undefined),
};

const clientOf = (consumer: ConsumerWithSecret, { until }: Proved = {}): AuthenticatedClient => ({
  id: consumer.id,
  seesOwnOnly: authenticationOf(consumer).method === 'none' || isStrangers(consumer),
  signedBy: introspectionAlgorithmOf(consumer),
  mustBeSigned: signsMessages(consumer),
  ...(until === undefined ? {} : { until }),
});

/** A request to one of our own endpoints. */
export interface ClientRequest extends AttemptOrigin {
  readonly raw: IncomingMessage;
  readonly body: Body;
}

export function createAuthenticator(deps: AuthenticatorDeps) {
  const { db, consumers, gate } = deps;
  /** Keyed by the Basic header: parsing and checking it again costs as much as the rest. */
  const clients = db.cached<AuthenticatedClient>({
    name: 'introspection_clients',
    limit: 1000,
    tags: ({ id }) => [appTagOf.application(id), tagOf.everything],
    expiry: { clock: deps.clock, at: ({ until }) => (until ?? Number.POSITIVE_INFINITY) * 1000 },
  });

  async function read(
    credentials: ClientCredentials | undefined,
    { raw }: ClientRequest,
  ): Promise<AuthenticatedClient | undefined> {
    const consumer = credentials && (await consumers.findWithSecret(credentials.id));
    if (!consumer) return undefined;
    const { proof } = CLIENT_AUTHENTICATIONS[authenticationOf(consumer).method];
    const proved = await CHECKS[proof](deps, consumer, { secret: credentials.secret, raw });
    return proved && clientOf(consumer, proved);
  }

  /** Each time: an assertion is good once. */
  async function byAssertion({ body, address }: ClientRequest, path: string): Promise<AuthenticatedClient | undefined> {
    // Only one way at a time (RFC 6749, 2.3).
    if (body.client_secret !== undefined) return undefined;
    try {
      return clientOf(await deps.clientAssertions.check(body, { audiences: audiencesAt(deps.issuer(), path), address }));
    } catch (error) {
      if (!(error instanceof ClientAuthenticationError)) throw error;
      deps.log.info({ reason: error.message }, 'the assertion of an application was refused');
      return undefined;
    }
  }

  /** Counts a wrong secret for every caller, also when concurrent callers share one check. */
  async function countGuess(
    attempt: AttemptOrigin,
    credentials: ClientCredentials | undefined,
    check: () => Promise<AuthenticatedClient | undefined>,
  ): Promise<AuthenticatedClient | undefined> {
    // Nobody guesses a signature: only the address is limited then, and strangers cannot lock an application out.
    const owner = credentials && `application ${credentials.id}`;
    gate.checkSecret(attempt, owner);
    const client = await check();
    if (!client) gate.wrongSecret(attempt, owner);
    return client;
  }

  /** Undefined if it is none that could be recognized. `path`: of the endpoint, which an assertion may name. */
  return async (request: ClientRequest, path: string): Promise<AuthenticatedClient | undefined> => {
    const { body, raw } = request;
    const { authorization } = raw.headers;
    if (body.client_assertion !== undefined)
      return countGuess(request, undefined, async () => (authorization === undefined ? byAssertion(request, path) : undefined));
    // A header of another scheme does not authenticate, and must not be a cache key.
    if (authorization === undefined || !isBasic(authorization)) {
      const credentials = credentialsFromBody(body);
      return countGuess(request, credentials, () => read(credentials, request));
    }
    const cached = clients.get(authorization);
    if (cached) return cached;
    const credentials = credentialsFromHeader(authorization);
    return countGuess(request, credentials, () => clients.load(authorization, () => read(credentials, request)));
  };
}

export type Authenticator = ReturnType<typeof createAuthenticator>;
