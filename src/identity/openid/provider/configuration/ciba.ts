// Applications ask a person to sign in who is somewhere else (CIBA Core 1.0). The library checks the request and issues the tokens. Who is meant,
// what they are told and what they answer is decided by ../../sign-in-requests, after the answer.
import type { Account, Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { SECURITY_PROFILE, SECURITY_PROFILES, type SecurityProfile } from '../../../applications/consumers/index.ts';
import type { RecordPayload } from '../../records/index.ts';
import {
  type Asked,
  NOT_KNOWN_YET,
  POLL_SECONDS,
  SIGN_IN_REQUEST_MODEL,
  type SignInRequests,
  withAsked,
} from '../../sign-in-requests/index.ts';
import { acrRequestOf } from '../acr.ts';
import { NOTIFICATION_ENDPOINT, SELF_REGISTERED } from '../clients.ts';
import { asksForCredentials } from '../credential-requests.ts';
import type { OidcProviderLibrary } from '../library.ts';
import { apiOf, markOf } from '../resources.ts';
import { SIGN_IN_REQUEST_ALGORITHM } from './request-objects.ts';

type OidcContext = KoaContextWithOIDC['oidc'];

const ROUTE = 'backchannel_authentication';
const USUAL_SECONDS = 300;
const LONGEST_SECONDS = 600;
/** How long it is known that a request has ended, and not only that there is none (CIBA, 11). */
export const ENDED_SECONDS = 600;
/** Longer texts are not read before somebody agrees to them. */
const LONGEST_MESSAGE = 60;
const LONGEST_CONTEXT = 4096;
/** No lines, no marks that change the direction of a text, nothing that is not seen. */
const MESSAGE = /^(?:[\p{L}\p{M}\p{N}\p{P}\p{S}]| (?! ))+$/u;

/** Whoever is meant, the answer is the same: the person is looked for afterwards. */
export const accountOfRequest = ({ route }: OidcContext): Account | undefined =>
  route === ROUTE ? { accountId: NOT_KNOWN_YET, claims: async () => ({ sub: NOT_KNOWN_YET }) } : undefined;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Also that of the registration. The library makes a wish for another sign-in of 0, which it has checked. */
const maxAgeOf = ({ params, prompts }: OidcContext): number | undefined =>
  prompts.has('login') ? 0 : params?.max_age === undefined ? undefined : Number(params.max_age);

/** What the person is asked for, as it was checked. */
function askedBy(ctx: KoaContextWithOIDC): Asked {
  const { oidc } = ctx;
  const { client, params, resourceServers = {} } = oidc;
  const requested = [...oidc.requestParamScopes];
  const apis = Object.entries(resourceServers).map(([resource, { scopes }]) => {
    const api = apiOf(oidc, resource);
    const scope = [markOf(api), ...requested.filter((one) => scopes.has(one))].join(' ');
    return { resource, version: api?.version ?? '', scope };
  });
  const endpoint = textOf(client![NOTIFICATION_ENDPOINT]);
  const token = textOf(params?.client_notification_token);
  const { values: acrValues, isEssential: isAcrEssential } = acrRequestOf(params);
  return {
    clientId: client!.clientId,
    message: textOf(params?.binding_message),
    scope: [...oidc.requestParamOIDCScopes].join(' '),
    apis,
    requested,
    acrValues,
    isAcrEssential,
    maxAge: maxAgeOf(oidc),
    ping: endpoint !== undefined && token !== undefined ? { endpoint, token } : undefined,
    address: ctx.ip,
  };
}

/** What is kept of a request: who is meant, and what they sent to prove that they know the person, goes another way. */
export function storedRequest({ default: Provider }: OidcProviderLibrary, payload: RecordPayload): RecordPayload {
  const { ctx } = Provider as unknown as { ctx?: KoaContextWithOIDC };
  if (ctx?.oidc?.route !== ROUTE) return payload;
  const { accountId: _, params: __, ...kept } = payload;
  return withAsked(kept, askedBy(ctx));
}

export const signInRequestLifetime = (ctx: KoaContextWithOIDC | undefined): number =>
  Math.min(Number(ctx?.oidc.params?.requested_expiry ?? USUAL_SECONDS), LONGEST_SECONDS);

export interface CibaDeps {
  readonly signInRequests: Pick<SignInRequests, 'begin' | 'mayAsk'>;
}

/** The profile of the application asks for signed requests, with something that the person compares. */
function signsRequests(client: OidcContext['client']): boolean {
  const profile = client?.[SECURITY_PROFILE] as SecurityProfile | undefined;
  return profile !== undefined && SECURITY_PROFILES[profile].signsSignInRequests;
}

/** Before anything is stored. */
function checkRequest({ errors }: OidcProviderLibrary, { signInRequests }: CibaDeps, { oidc }: KoaContextWithOIDC): void {
  const { client, params } = oidc;
  const mustBeSigned = signsRequests(client) || client![SIGN_IN_REQUEST_ALGORITHM] !== undefined;
  // Of a signed request, the library takes nothing that is not in it.
  if (mustBeSigned && oidc.trusted === undefined) throw new errors.InvalidRequest('the requests of this application are signed');
  // Nobody vouches for it, and the person did not begin.
  if (client![SELF_REGISTERED] !== undefined)
    throw new errors.UnauthorizedClient('an application that registered itself asks nobody');
  if (asksForCredentials(params)) throw new errors.InvalidScope('credentials are not issued in this way', undefined as never);
  if (!signInRequests.mayAsk(client!.clientId)) {
    const refusal = new errors.CustomOIDCProviderError('temporarily_unavailable', 'too many requests');
    throw Object.assign(refusal, { status: 429, statusCode: 429 });
  }
}

export const ciba = (library: OidcProviderLibrary, deps: CibaDeps) => {
  const { errors } = library;
  return {
    enabled: true,
    // Not push: it would send tokens to an address.
    deliveryModes: ['poll', 'ping'],
    processLoginHint: async () => NOT_KNOWN_YET,
    processLoginHintToken: async () => {
      throw new errors.InvalidRequest('login_hint_token is not supported: use login_hint or id_token_hint');
    },
    // With the person.
    verifyUserCode: async () => undefined,
    async validateBindingMessage(ctx, message) {
      if (message === undefined) {
        if (signsRequests(ctx.oidc.client)) throw new errors.InvalidRequest('binding_message is needed: the person compares it');
        return;
      }
      if (message.length > LONGEST_MESSAGE || !MESSAGE.test(message))
        throw new errors.InvalidBindingMessage(`it must be one line of at most ${LONGEST_MESSAGE} characters`);
    },
    async validateRequestContext(ctx, context) {
      if (context !== undefined && context.length > LONGEST_CONTEXT)
        throw new errors.InvalidRequest('request_context is too long');
      checkRequest(library, deps, ctx);
    },
    async triggerAuthenticationDevice(ctx, request, _account, client) {
      const { login_hint: name, user_code: code } = ctx.oidc.params ?? {};
      const { payload } = (ctx.oidc.entities.IdTokenHint ?? {}) as { payload?: { sub?: string } };
      const usesCode = client.backchannelUserCodeParameter === true;
      await deps.signInRequests.begin({
        jti: request.jti,
        clientId: client.clientId,
        lifetime: signInRequestLifetime(ctx),
        hint: { name: textOf(name), userId: payload?.sub, code: usesCode ? textOf(code) : undefined },
      });
      ctx.body = { ...(ctx.body as object), interval: POLL_SECONDS };
    },
  } satisfies NonNullable<Configuration['features']>['ciba'];
};

export { SIGN_IN_REQUEST_MODEL };
