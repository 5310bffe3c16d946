// Access tokens for APIs: what is stored of them, and whether they are good still. A JWT is verified by its API alone; what is stored here answers
// for it at introspection, and when it is exchanged.
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { type Clock, seconds } from '../../../platform/clock.ts';
import { type Access, tagOf } from '../../access/context/index.ts';
import { APIS_TAG, type Api, type Apis } from '../../applications/apis/index.ts';
import { appTagOf } from '../../applications/app-roles/index.ts';
import type { ClientRegistration } from '../../applications/client-registration/index.ts';
import { findConsumer, isStrangers } from '../../applications/consumers/index.ts';
import type { Database } from '../../ground/database/index.ts';
import {
  type RecordPayload,
  type Records,
  tagOfGrant,
  tagOfHash,
  tagOfRecord,
  tagOfSession,
  type ValidRecord,
} from '../records/index.ts';
import { isOfNow } from './access-tokens.ts';
import type { OidcProviderLibrary } from './library.ts';
import { apiOf, mayAskFor } from './resources.ts';
import { isShutOut } from './shut-out.ts';

/** A JWT that was issued. Its id is the JWT itself, so that only whoever has it finds it. */
const JWT_MODEL = 'ApiToken';

type IssuedToken = InstanceType<Provider['AccessToken']> | InstanceType<Provider['ClientCredentials']>;

/** The version of the API for which each token was made, from its making to its storing. */
const versions = new WeakMap<object, string>();

/** Of a token that was got for another one: who acts, and the record of that other one. */
export interface Exchanged {
  readonly act: unknown;
  readonly origin: string;
}

const exchanged = new WeakMap<object, Exchanged>();

/** Before it is saved. */
export const noteExchange = (token: object, about: Exchanged): void => void exchanged.set(token, about);

/** What the record of a token says beside what the library knows of it. */
export function apiClaims(ctx: KoaContextWithOIDC, token: object): Record<string, unknown> | undefined {
  const { aud, resourceServer } = token as IssuedToken;
  const api = typeof aud === 'string' ? apiOf(ctx.oidc, aud) : undefined;
  if (!api) return undefined;
  versions.set(token, api.version);
  const { act, origin } = exchanged.get(token) ?? {};
  const actor = act === undefined ? {} : { act };
  // In a JWT the others would be for everybody to see.
  return resourceServer?.accessTokenFormat === 'jwt' ? actor : { ...actor, api_version: api.version, origin };
}

const payloadOf = (jwt: string): RecordPayload =>
  JSON.parse(Buffer.from(jwt.split('.')[1]!, 'base64url').toString()) as RecordPayload;

/** The library stores no JWTs. */
export function storeJwts(provider: Provider, records: Records): void {
  for (const { prototype } of [provider.AccessToken, provider.ClientCredentials] as { prototype: IssuedToken }[]) {
    const { save } = prototype;
    prototype.save = async function (this: IssuedToken, ...args) {
      const value = await save.apply(this, args);
      if (this.resourceServer?.accessTokenFormat !== 'jwt') return value;
      const { accountId, clientId, grantId, sessionUid, expiresWithSession } = this as unknown as RecordPayload;
      const { aud, scope, iat, exp, jti, cnf, act } = payloadOf(value);
      const extra = { api_version: versions.get(this), act, origin: exchanged.get(this)?.origin };
      const known = { accountId, clientId, grantId, sessionUid, expiresWithSession, aud, scope, iat, exp, jti, cnf, extra };
      await records.save(JWT_MODEL, value, { kind: JWT_MODEL, ...known } as RecordPayload, Number(exp) - Number(iat));
      return value;
    };
  }
}

/**
 * The library revokes no JWTs. What is stored of one is deleted: introspection and exchanges hear of it at once, an API that does not ask when it expires.
 * One that is not known is over, which is no error (RFC 7009, 2.2).
 */
export const revokeJwts =
  ({ errors }: OidcProviderLibrary, records: Pick<Records, 'find' | 'destroy'>) =>
  async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    await next();
    const { route, client, params } = ctx.oidc ?? {};
    const { error } = (ctx.body ?? {}) as { error?: unknown };
    // The library says so to a client that has proved itself.
    if (route !== 'revocation' || error !== 'unsupported_token_type' || !client) return;
    const token = String(params?.token);
    const found = await records.find(JWT_MODEL, token);
    if (found && found.clientId !== client.clientId) {
      const refusal = new errors.InvalidRequest('the token is of another client');
      ctx.status = refusal.statusCode;
      ctx.body = { error: refusal.error, error_description: refusal.error_description };
      return;
    }
    if (found) await records.destroy(JWT_MODEL, token);
    ctx.status = 200;
    ctx.body = '';
  };

export interface VerifiedApiToken {
  readonly api: Api;
  readonly clientId: string;
  /** Undefined for a token of the application itself. */
  readonly userId: string | undefined;
  /** Those that it still has. */
  readonly scopes: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly confirmation: Readonly<Record<string, unknown>> | undefined;
  /** Who acts for the person (RFC 8693, 4.1). */
  readonly actor: unknown;
  /** Names the record, and gives nobody the token. */
  readonly recordId: string;
}

export interface ApiTokensDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly records: Records;
  readonly access: Access;
  readonly apis: Apis;
  readonly clientRegistration: Pick<ClientRegistration, 'isLive' | 'refusal'>;
}

/** As the record of an opaque token has it, and as a JWT says it. */
function confirmationOf({ cnf, jkt, 'x5t#S256': certificate }: RecordPayload): Record<string, unknown> | undefined {
  if (cnf !== undefined) return cnf as Record<string, unknown>;
  if (jkt === undefined && certificate === undefined) return undefined;
  return { ...(jkt === undefined ? {} : { jkt }), ...(certificate === undefined ? {} : { 'x5t#S256': certificate }) };
}

/** A verified token, and what it depends on. */
interface Verified {
  readonly token: VerifiedApiToken;
  /** In seconds. Then it must be verified again. */
  readonly validUntil: number;
  readonly tags: readonly string[];
}

/** What a part of it depends on. */
interface Dependence {
  readonly tags: readonly string[];
  readonly until?: number | null | undefined;
}

const ON_NOTHING: Dependence = { tags: [] };
/** Nothing that depends on it is remembered. */
const NEVER_THE_SAME: Dependence = { tags: [], until: 0 };

/** About two kilobytes each. */
const LIMIT = 20_000;

/** What a record says beside what the library knows. */
interface Extra {
  readonly api_version?: unknown;
  readonly act?: unknown;
  readonly origin?: string;
}

export function createApiTokens({ db, clock, records, access, apis, clientRegistration }: ApiTokensDeps) {
  const cache = db.cached<Verified>({
    name: 'api_tokens',
    limit: LIMIT,
    tags: ({ tags }) => tags,
    expiry: { clock, at: ({ validUntil }) => validUntil * 1000 },
  });

  /** Its application, if it is there, and may still be used, by this person, if it registered itself. */
  async function ofApplication(clientId: string, payload: RecordPayload): Promise<Dependence | undefined> {
    const consumer = await findConsumer(db.read, clientId);
    if (!consumer || !(await clientRegistration.isLive(consumer))) return undefined;
    if (await isShutOut(clientRegistration, consumer, payload)) return undefined;
    // The policy that lets such an application in is asked each time.
    return isStrangers(consumer) ? NEVER_THE_SAME : { tags: [appTagOf.application(clientId)] };
  }

  async function findRecord(token: string): Promise<ValidRecord | undefined> {
    // The others have no dot.
    if (token.includes('.')) return records.findValid(JWT_MODEL, token);
    return (await records.findValid('AccessToken', token)) ?? (await records.findValid('ClientCredentials', token));
  }

  /** The person, if they are as they were, and their session goes on if the token ends with it. */
  async function ofPerson({ payload, generation }: ValidRecord): Promise<Dependence | undefined> {
    const { accountId, expiresWithSession, sessionUid } = payload;
    if (accountId === undefined) return ON_NOTHING;
    const context = await access.read(accountId, { kind: 'unscoped' });
    if (!context || context.generation !== generation) return undefined;
    const { tags, validUntil: until } = context;
    if (expiresWithSession !== true) return { tags, until };
    const uid = String(sessionUid);
    const session = await records.findByUid(uid);
    if (session?.accountId !== accountId) return undefined;
    const ends = [until, session.exp].filter((end) => typeof end === 'number');
    return { tags: [...tags, tagOfSession(uid), tagOfRecord('Session', String(session.jti))], until: Math.min(...ends) };
  }

  /** The API for which it was made, if nothing was taken away from that since. */
  async function apiOfToken({ aud }: RecordPayload, { api_version: version }: Extra): Promise<Api | undefined> {
    const api = typeof aud === 'string' ? await apis.find(aud) : undefined;
    return api && version === api.version ? api : undefined;
  }

  /** The scopes that its application may have there: those that it asked for, or those that the token it was exchanged for gives. */
  async function scopesOfClient(api: Api, clientId: string, origin: string | undefined): Promise<readonly string[] | undefined> {
    if (origin === undefined) return mayAskFor(api, clientId) ? api.scopes.map(({ name }) => name) : undefined;
    const row = await records.findValidByHash(origin);
    const subject = row && (await verifyRecord(row));
    const rules = api.exchanges.filter(
      (rule) => rule.application_id === clientId && subject?.scopes.includes(rule.subject_scope),
    );
    return rules.length === 0 ? undefined : rules.map(({ scope }) => scope);
  }

  async function verifyRecord(found: ValidRecord): Promise<VerifiedApiToken | undefined> {
    return (await verifyWhole(found))?.token;
  }

  async function verifyWhole(found: ValidRecord): Promise<Verified | undefined> {
    const { clientId, accountId, grantId, exp, iat, scope } = found.payload;
    if (clientId === undefined || exp === undefined || exp <= seconds(clock)) return undefined;
    const extra = (found.payload.extra ?? {}) as Extra;
    const api = await apiOfToken(found.payload, extra);
    const application = api && (await ofApplication(clientId, found.payload));
    const person = application && (await ofPerson(found));
    if (!person) return undefined;
    const ofClient = await scopesOfClient(api, clientId, extra.origin);
    if (!ofClient) return undefined;
    const roles = await apis.rolesFor(api, accountId);
    const held = await apis.scopesFor(api, accountId);
    const asked = String(scope ?? '').split(' ');
    const token: VerifiedApiToken = {
      api,
      clientId,
      userId: accountId,
      scopes: asked.filter((one) => ofClient.includes(one) && held.some(({ name }) => name === one)),
      issuedAt: Number(iat),
      expiresAt: exp,
      confirmation: confirmationOf(found.payload),
      actor: extra.act,
      recordId: found.id,
    };
    const ofGrant = grantId === undefined ? [] : [tagOfGrant(grantId), tagOfRecord('Grant', grantId)];
    const parts: readonly Dependence[] = [
      { tags: [tagOf.everything, APIS_TAG, tagOfHash(found.id), ...ofGrant], until: exp },
      application,
      person,
      roles ? { tags: roles.tags, until: roles.validUntil } : ON_NOTHING,
      // The token that it was exchanged for has its own.
      extra.origin === undefined ? ON_NOTHING : NEVER_THE_SAME,
    ];
    const ends = parts.map(({ until }) => until ?? Number.POSITIVE_INFINITY);
    return { token, validUntil: Math.min(...ends), tags: parts.flatMap(({ tags }) => tags) };
  }

  async function load(token: string): Promise<Verified | undefined> {
    const found = await findRecord(token);
    return found && verifyWhole(found);
  }

  return {
    /** The same from memory, to answer questions. */
    async known(token: string): Promise<VerifiedApiToken | undefined> {
      const found = await cache.getOrLoad(token, () => load(token));
      return found && isOfNow(found.token, clock.now() / 1000) ? found.token : undefined;
    },
    /** Undefined for a token that is not for an API, or is good no more. */
    async verify(token: string): Promise<VerifiedApiToken | undefined> {
      const found = await findRecord(token);
      return found && verifyRecord(found);
    },
  };
}

export type ApiTokens = ReturnType<typeof createApiTokens>;
