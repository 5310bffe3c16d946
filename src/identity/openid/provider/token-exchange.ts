// Token exchange (RFC 8693): an API that was called with the token of a person gets a token for the next API, for the same person and with less. What
// may be exchanged is said at the API that the new token is for. The application that asks is the one that acts: there are no actor tokens.
import { createHash, type X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Throttle } from '../../../platform/limits/index.ts';
import type { Api, Apis, Exchange as ExchangeRule } from '../../applications/apis/index.ts';
import { TOKEN_EXCHANGE } from '../../applications/consumers/index.ts';
import { type Deps, REQUEST_ID_HEADER } from '../../ground/resource/index.ts';
import { testPoint } from '../../ground/test-points.ts';
import { ROOT } from '../paths/index.ts';
import { type ApiTokens, noteExchange, type VerifiedApiToken } from './api-tokens.ts';
import { KEYLESS } from './attested-wallets.ts';
import { DpopError, type DpopProofs } from './dpop-proofs.ts';
import type { OidcProviderLibrary } from './library.ts';
import { apiServerOf, rememberApi, resourcesOf } from './resources.ts';

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const JWT = 'urn:ietf:params:oauth:token-type:jwt';
/** Of one application for one person. Each exchange is stored, and an event. */
export const EXCHANGE_LIMIT = { attempts: 120, perSeconds: 60 };
/** A token is passed on from API to API at most so often. */
const MOST_ACTORS = 5;
const LONGEST_TOKEN = 8192;
const PARAMETERS = [
  'subject_token',
  'subject_token_type',
  'requested_token_type',
  'resource',
  'audience',
  'scope',
  'actor_token',
  'actor_token_type',
];

export interface TokenExchangeDeps extends Pick<Deps, 'change'> {
  readonly issuer: string;
  readonly apis: Apis;
  readonly apiTokens: ApiTokens;
  readonly proofs: DpopProofs;
  /** Limits exchanges. */
  readonly exchanges: Throttle;
  /** Of the connection, where the service sees certificates. */
  certificateOf?(request: IncomingMessage): X509Certificate | undefined;
}

/** RFC 8693, 4.1: who acts, and who acted before. */
interface Actor {
  readonly sub: string;
  readonly act?: Actor;
}

const actorsIn = (actor: Actor | undefined): number => (actor ? 1 + actorsIn(actor.act) : 0);

/** A token of a person, for the API of the application that asks, or issued to that application. */
type Subject = VerifiedApiToken & { readonly userId: string };

type Params = Readonly<Record<string, unknown>>;

class Exchange {
  readonly #deps: TokenExchangeDeps;
  readonly #errors: OidcProviderLibrary['errors'];
  readonly #ctx: KoaContextWithOIDC;

  constructor(deps: TokenExchangeDeps, { errors }: OidcProviderLibrary, ctx: KoaContextWithOIDC) {
    this.#deps = deps;
    this.#errors = errors;
    this.#ctx = ctx;
  }

  get #params(): Params {
    return this.#ctx.oidc.params as Params;
  }

  get #clientId(): string {
    return this.#ctx.oidc.client!.clientId;
  }

  /** What the request must be, whatever its token is. */
  checkRequest(): void {
    const { InvalidRequest, UnauthorizedClient } = this.#errors;
    const { subject_token: token, subject_token_type: type, requested_token_type: wanted, ...others } = this.#params;
    if (KEYLESS.includes(this.#ctx.oidc.client!.clientAuthMethod!))
      throw new UnauthorizedClient('only applications that authenticate may exchange tokens');
    if (typeof token !== 'string' || token === '' || token.length > LONGEST_TOKEN)
      throw new InvalidRequest('subject_token is missing, or too long');
    if (type !== ACCESS_TOKEN && type !== JWT) throw new InvalidRequest('subject_token_type must be that of access tokens');
    if (wanted !== undefined && wanted !== ACCESS_TOKEN && wanted !== JWT)
      throw new InvalidRequest('requested_token_type must be that of access tokens');
    if (others.actor_token !== undefined || others.actor_token_type !== undefined)
      throw new InvalidRequest('actor tokens are not supported: the application that asks is the actor');
  }

  /** The API that the new token is for, and what may be exchanged there. The same refusal for what is not known and not allowed. */
  async target(): Promise<{ readonly api: Api; readonly rules: readonly ExchangeRule[] }> {
    const { InvalidTarget } = this.#errors;
    const named = new Set([...resourcesOf(this.#params.resource), ...resourcesOf(this.#params.audience)]);
    if (named.size !== 1) throw new InvalidTarget('one API must be named, by resource or by audience');
    const [resource] = [...named] as [string];
    const api = await this.#deps.apis.find(resource);
    const rules = api?.exchanges.filter(({ application_id: id }) => id === this.#clientId) ?? [];
    if (!api || rules.length === 0)
      throw new InvalidTarget('the resource is not known, or the application may not exchange tokens for it');
    if (this.#params.requested_token_type === JWT && api.tokenFormat !== 'jwt')
      throw new this.#errors.InvalidRequest('tokens of this API are no JWTs');
    return { api, rules };
  }

  /** Good now, of a person, and in the hands of who asks by right. Nobody learns which of these it is not. */
  async subject(): Promise<Subject> {
    const found = await this.#deps.apiTokens.verify(String(this.#params.subject_token));
    const isTheirs = found?.api.applicationId === this.#clientId || found?.clientId === this.#clientId;
    if (!found || !isTheirs || found.userId === undefined)
      throw new this.#errors.CustomOIDCProviderError(
        'invalid_grant',
        'the subject token is not good, or not for this application',
      );
    return found as Subject;
  }

  /** Those of the policy, as far as the subject token and the person have them; of these what was asked for. */
  async scopes(api: Api, rules: readonly ExchangeRule[], subject: Subject): Promise<readonly string[]> {
    const ofPerson = await this.#deps.apis.scopesFor(api, subject.userId);
    const allowed = rules
      .filter(
        ({ subject_scope: needed, scope }) => subject.scopes.includes(needed) && ofPerson.some(({ name }) => name === scope),
      )
      .map(({ scope }) => scope);
    const { scope: said } = this.#params;
    const asked = typeof said === 'string' ? said.split(' ').filter(Boolean) : undefined;
    const refused = asked?.find((one) => !allowed.includes(one));
    if (refused !== undefined) throw new this.#errors.InvalidScope('requested scope is not allowed', refused);
    const given = [...new Set(asked ?? allowed)];
    if (given.length === 0) throw new this.#errors.InvalidScope('the subject token gives no scope of this API', '');
    return given;
  }

  /** An API keeps a token while it is good, instead of asking for another one with each request. */
  count({ userId }: Subject): void {
    const { exchanges } = this.#deps;
    const key = `${this.#clientId} ${userId}`;
    if (!exchanges.has(key)) {
      const refusal = new this.#errors.CustomOIDCProviderError('temporarily_unavailable', 'too many tokens were exchanged');
      throw Object.assign(refusal, { status: 429, statusCode: 429 });
    }
    exchanges.take(key);
  }

  actor({ actor: before }: Subject): Actor {
    const previous = before as Actor | undefined;
    if (actorsIn(previous) >= MOST_ACTORS) throw new this.#errors.InvalidRequest('the token was passed on too often');
    return { sub: this.#clientId, ...(previous ? { act: previous } : {}) };
  }

  /** The key of the new token; that of the subject token, if that was issued to who asks. */
  async thumbprint({ confirmation, clientId }: Subject): Promise<string | undefined> {
    const { InvalidDpopProof } = this.#errors;
    const proof = this.#ctx.get('DPoP');
    const isOwn = clientId === this.#clientId;
    const needed = isOwn ? confirmation?.jkt : undefined;
    if (proof === '') {
      if (needed !== undefined || this.#ctx.oidc.client!.dpopBoundAccessTokens === true)
        throw new InvalidDpopProof('a DPoP proof is needed');
      return undefined;
    }
    try {
      const url = `${this.#deps.issuer}${ROOT}/token`;
      const thumbprint = await this.#deps.proofs.check(proof, { method: 'POST', url });
      if (needed !== undefined && thumbprint !== needed) throw new DpopError('it is of another key than the subject token');
      return thumbprint;
    } catch (error) {
      if (error instanceof DpopError) throw new InvalidDpopProof(error.message);
      throw error;
    }
  }

  /** The certificate to which the new token is bound (RFC 8705, 3); that of the subject token, if that was issued to who asks. */
  certificate({ confirmation, clientId }: Subject): X509Certificate | undefined {
    const needed = clientId === this.#clientId ? confirmation?.['x5t#S256'] : undefined;
    if (needed === undefined && this.#ctx.oidc.client!.tlsClientCertificateBoundAccessTokens !== true) return undefined;
    const found = this.#deps.certificateOf?.(this.#ctx.req);
    const thumbprint = found && createHash('sha256').update(found.raw).digest('base64url');
    if (!found || (needed !== undefined && thumbprint !== needed))
      throw new this.#errors.CustomOIDCProviderError(
        'invalid_grant',
        'the certificate of the application is missing, or another one',
      );
    return found;
  }

  /** In the name of the person, by the application. */
  record({ userId, api: { id: from } }: Subject, api: Api, scopes: readonly string[]): Promise<void> {
    const { ip, res } = this.#ctx;
    const actor = {
      userId,
      requestId: String(res.getHeader(REQUEST_ID_HEADER) ?? '') || null,
      origin: { address: ip, user_agent: this.#ctx.get('user-agent').slice(0, 255) },
    };
    const detail = { consumer_id: this.#clientId, api_id: api.id, subject_api_id: from, scopes };
    return this.#deps.change(actor, async ({ audit }) => audit('access_token.exchanged', { kind: 'user', id: userId }, detail));
  }
}

/** By the clock of the library. */
const lifetimeLeft = ({ expiresAt }: Subject): number => expiresAt - Math.floor(Date.now() / 1000);

export function registerTokenExchange(provider: Provider, library: OidcProviderLibrary, deps: TokenExchangeDeps): void {
  provider.registerGrantType(
    TOKEN_EXCHANGE,
    async (ctx) => {
      const exchange = new Exchange(deps, library, ctx);
      exchange.checkRequest();
      const { api, rules } = await exchange.target();
      const subject = await exchange.subject();
      exchange.count(subject);
      const scopes = await exchange.scopes(api, rules, subject);
      const act = exchange.actor(subject);
      const thumbprint = await exchange.thumbprint(subject);
      const certificate = exchange.certificate(subject);
      await testPoint('token-exchange.before-token');
      // It has no grant: whoever revokes it would end all that the person allowed the other application. It ends with the subject token.
      const about = { accountId: subject.userId, client: ctx.oidc.client, gty: 'token_exchange', scope: scopes.join(' ') };
      const token = new provider.AccessToken(about as never);
      rememberApi(ctx.oidc, api.identifier, api);
      token.resourceServer = new provider.ResourceServer(api.identifier, apiServerOf(api, scopes));
      noteExchange(token, { act, origin: subject.recordId });
      if (thumbprint !== undefined) token.setThumbprint('jkt', thumbprint);
      if (certificate) token.setThumbprint('x5t', certificate);
      Object.assign(token, { expiresIn: Math.max(1, Math.min(token.expiration, lifetimeLeft(subject))) });
      const value = await token.save();
      // What was checked may have ended meanwhile. A JWT that is not handed out is nobody's.
      if (!(await deps.apiTokens.verify(value))) {
        await token.destroy();
        await exchange.subject();
        throw new library.errors.InvalidTarget('the application may not exchange tokens for the resource');
      }
      await exchange.record(subject, api, scopes);
      ctx.body = {
        access_token: value,
        issued_token_type: ACCESS_TOKEN,
        token_type: token.tokenType,
        expires_in: token.expiration,
        scope: scopes.join(' '),
      };
    },
    PARAMETERS,
    ['resource', 'audience'],
  );
}
