// Signed requests (JAR, RFC 9101): by value, at the authorization endpoint and pushed. Never by an address: the service would have to call whatever
// somebody writes there.
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { decodeJws } from '../../../../verifiable/jose/index.ts';
import { PROFILE_ALGORITHMS } from '../../../applications/consumers/index.ts';
import type { OidcProviderLibrary } from '../library.ts';
import { hasProfile } from './profiles.ts';

/** RFC 9101, 10.8; clients of before it say `JWT`, or nothing. Whatever else a key signs is no request. */
const TYPES: readonly unknown[] = [undefined, 'jwt', 'oauth-authz-req+jwt'];
const MAX_LENGTH = 64 * 1024;

const HOUR = 3600;

type Json = Readonly<Record<string, unknown>>;
type Refuse = (why: string) => never;

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** FAPI 2.0 Message Signing, 5.3.1: it began at most an hour ago, and is good for at most an hour. */
function checkProfile(client: KoaContextWithOIDC['oidc']['client'], { exp, nbf }: Json, { alg }: Json, refuse: Refuse): void {
  if (!hasProfile(client)) return;
  if (!PROFILE_ALGORITHMS.includes(String(alg))) refuse('its algorithm is not one of the profile');
  if (!isTime(exp) || !isTime(nbf) || exp <= nbf || exp - nbf > HOUR || nbf < Date.now() / 1000 - HOUR)
    refuse('nbf and exp must be there, nbf at most an hour ago, and exp at most an hour later');
}

/** CIBA Core 1.0, 7.1.1. */
const IN_SIGN_IN_REQUESTS = ['aud', 'iss', 'exp', 'iat', 'nbf', 'jti'] as const;

function checkSignInRequest(claims: Json, refuse: Refuse): void {
  const missing = IN_SIGN_IN_REQUESTS.find((name) => claims[name] === undefined || claims[name] === '');
  if (missing) refuse(`${missing} is missing`);
}

export const requestObjects = ({ errors }: OidcProviderLibrary) =>
  ({
    enabled: true,
    async assertJwtClaimsAndHeader(ctx, claims, header, client) {
      // A pushed request that was not signed is kept like one that was.
      if (ctx.oidc.entities.PushedAuthorizationRequest) return;
      const refuse: Refuse = (why) => {
        throw new errors.InvalidRequestObject(why);
      };
      const { typ } = header as Json;
      if (!TYPES.includes(typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ))
        refuse('its type says that it is something else');
      // It could be an assertion of the client (RFC 9101, 10.8).
      if ((claims as Json).sub === client.clientId) refuse('it must not have the client as sub');
      checkProfile(client, claims as Json, header as Json, refuse);
      const isSignInRequest = ctx.oidc.route === 'backchannel_authentication';
      if (isSignInRequest) checkSignInRequest(claims as Json, refuse);
      const name = isSignInRequest ? SIGN_IN_REQUEST_ALGORITHM : REQUEST_ALGORITHM;
      const { [name]: registered } = client as unknown as Json;
      if (registered !== undefined && (header as Json).alg !== registered) refuse(`its algorithm is not ${registered}`);
    },
  }) satisfies NonNullable<Configuration['features']>['requestObjects'];

/** Our own, for requests that people sign in somewhere else (`backchannel_authentication_request_signing_alg`). */
export const SIGN_IN_REQUEST_ALGORITHM = 'registered_sign_in_request_signing_alg';
/** Our own name: the library would ask for the keys with it, which it gets only when there is a signed request. */
export const REQUEST_ALGORITHM = 'registered_request_object_signing_alg';

/** The key that has signed the request of this moment. Undefined: there is no signed request. */
export function keyOfRequest({ default: Provider }: OidcProviderLibrary): { readonly kid: string | undefined } | undefined {
  const { ctx } = Provider as unknown as { ctx?: KoaContextWithOIDC };
  const { request } = { ...ctx?.query, ...(ctx?.oidc?.body as Json | undefined) } as { request?: unknown };
  if (typeof request !== 'string') return undefined;
  try {
    const { kid } = decodeJws(request, MAX_LENGTH).header;
    return { kid: typeof kid === 'string' ? kid : undefined };
  } catch {
    return { kid: undefined };
  }
}
