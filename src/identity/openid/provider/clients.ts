// Consumers as clients of the OpenID provider. Read for every request, so changes apply immediately.
import type { ClientMetadata } from 'oidc-provider';
import {
  attributesOf,
  authenticationOf,
  CERTIFICATE_NAMES,
  CIBA,
  CLIENT_AUTHENTICATIONS,
  type ClientAuthenticationMethod,
  type ClientKey,
  type ConsumerWithSecret,
  grantsOf,
  impliedBy,
  isLoopback,
  isNative,
  isStrangers,
  openidFieldsOf,
  pingEndpointOf,
  postLogoutUrisOf,
  profileOf,
  redirectUriConflict,
  SECURITY_PROFILE,
  SKIP_CONSENT,
} from '../../applications/consumers/index.ts';
import type { ClientKeys, LibraryAssertions } from '../client-authentication/index.ts';
import { REQUEST_ALGORITHM, SIGN_IN_REQUEST_ALGORITHM } from './configuration/request-objects.ts';
import { FRONT_CHANNEL_SESSION, FRONT_CHANNEL_URI } from './front-channel.ts';

/** Our own: the secret before the current one, while it works. */
export const PREVIOUS_SECRET = 'previous_client_secret';

/** Our own: how an application came to be that registered itself and that nobody has kept. */
export const SELF_REGISTERED = 'self_registered';

/** Our own attributes that the library has to keep. */
/** Our own: where it is told that a person has answered. We tell it (../sign-in-requests), the library never does. */
export const NOTIFICATION_ENDPOINT = 'notification_endpoint';
/** The library asks for one with https. Ours may be http where the operator says so. */
const NOT_CALLED = 'https://not-called.invalid/';

export const OWN_ATTRIBUTES = [
  NOTIFICATION_ENDPOINT,
  SIGN_IN_REQUEST_ALGORITHM,
  'id_token_claims',
  'access_token_lifetime',
  'refresh_token_lifetime',
  SECURITY_PROFILE,
  SKIP_CONSENT,
  PREVIOUS_SECRET,
  REQUEST_ALGORITHM,
  SELF_REGISTERED,
  FRONT_CHANNEL_URI,
  FRONT_CHANNEL_SESSION,
];

/** The library does not read the keys of clients. */
const KEY_FIELDS = [
  'workload_identities',
  'jwks',
  'jwks_uri',
  'token_endpoint_auth_signing_alg',
  'request_object_signing_alg',
  'backchannel_token_delivery_mode',
  'backchannel_client_notification_endpoint',
  'backchannel_authentication_request_signing_alg',
  ...CERTIFICATE_NAMES,
];

export interface ClientDeps {
  readonly libraryAssertions: Pick<LibraryAssertions, 'keyFor' | 'isOwn'>;
  readonly clientKeys: ClientKeys;
}

/** The key that has signed the request of this moment; undefined if it is not signed. */
type KeyOfRequest = () => { readonly kid: string | undefined } | undefined;

interface Proved {
  readonly metadata?: Partial<ClientMetadata>;
  readonly keys?: readonly object[];
}
type Proof = (consumer: ConsumerWithSecret, deps: ClientDeps) => Promise<Proved>;

const secret: Proof = async ({ plainSecret, plainPreviousSecret: previous }) => ({
  metadata: { client_secret: plainSecret, ...(previous ? { [PREVIOUS_SECRET]: previous } : {}) },
});

/** As the library reads it. */
const jwkOf = ({ jwk, kid, algorithms, certificate }: ClientKey) => ({
  ...jwk,
  ...(kid === undefined ? {} : { kid }),
  ...(algorithms.length === 1 ? { alg: algorithms[0] } : {}),
  ...(certificate === undefined ? {} : { x5c: [certificate.raw.toString('base64')] }),
});

/** What the library checks. */
const PROOFS: Readonly<Record<ClientAuthenticationMethod, Proof>> = {
  client_secret_basic: secret,
  client_secret_post: secret,
  // The assertion of the client was checked before, and the library gets one of ours.
  private_key_jwt: async (consumer, { libraryAssertions }) => ({ keys: [libraryAssertions.keyFor(consumer)] }),
  workload_jwt: async (consumer, { libraryAssertions }) => ({ keys: [libraryAssertions.keyFor(consumer)] }),
  tls_client_auth: async (consumer) => ({ metadata: Object.fromEntries(authenticationOf(consumer).names) }),
  async self_signed_tls_client_auth(consumer, { clientKeys }) {
    const keys = await clientKeys.read(authenticationOf(consumer));
    return { keys: keys.filter(({ certificate }) => certificate !== undefined).map(jwkOf) };
  },
  none: async () => ({}),
};

/** How the client proves itself, and what it signs its requests with. Its address is read only for a request that is signed. */
async function proofOf(
  consumer: ConsumerWithSecret,
  deps: ClientDeps,
  keyOfRequest: KeyOfRequest,
): Promise<Partial<ClientMetadata>> {
  const registered = authenticationOf(consumer);
  const { metadata = {}, keys = [] } = await PROOFS[registered.method](consumer, deps);
  const signedBy = keyOfRequest();
  const ofRequests = signedBy ? (await deps.clientKeys.read(registered, signedBy.kid)).map(jwkOf) : [];
  const all = [...keys, ...ofRequests];
  const { needs } = CLIENT_AUTHENTICATIONS[registered.method];
  return { ...metadata, ...(all.length > 0 || needs === 'keys' ? { jwks: { keys: all } as never } : {}) };
}

/** How it asks people to sign in who are somewhere else. The library refuses a client that may and does not say how. */
function signInRequestsOf(consumer: ConsumerWithSecret, grantTypes: readonly string[]): Partial<ClientMetadata> {
  if (!grantTypes.includes(CIBA)) return {};
  const { backchannel_authentication_request_signing_alg: algorithm } = openidFieldsOf(attributesOf(consumer));
  const signed = algorithm === undefined ? {} : { [SIGN_IN_REQUEST_ALGORITHM]: algorithm };
  const endpoint = pingEndpointOf(consumer);
  if (endpoint === undefined) return { ...signed, backchannel_token_delivery_mode: 'poll' };
  return {
    ...signed,
    backchannel_token_delivery_mode: 'ping',
    backchannel_client_notification_endpoint: NOT_CALLED,
    [NOTIFICATION_ENDPOINT]: endpoint,
  };
}

/** What a stranger has whatever it says: people are asked each time, and it gets no credentials about their roles. */
const asStranger = ({ registered_by: by }: ConsumerWithSecret, redirectUris: readonly string[]) => ({
  [SELF_REGISTERED]: by,
  [SKIP_CONSENT]: false,
  authorization_details_types: [],
  // Programs on the machine of the person take any free port (RFC 8252, 7.3).
  ...(redirectUris.some(isLoopback) ? { application_type: 'native' as const } : {}),
});

export async function clientOf(
  consumer: ConsumerWithSecret,
  deps: ClientDeps,
  keyOfRequest: KeyOfRequest,
): Promise<ClientMetadata> {
  const extra = attributesOf(consumer);
  const registered = JSON.parse(consumer.redirect_uris) as string[];
  const native = isNative(registered);
  // Invalid combinations of URIs are refused at registration; older rows may still have some.
  const fitting = (uris: readonly string[]) => uris.filter((uri) => redirectUriConflict(uri, native) === undefined);
  const redirectUris = fitting(registered);
  // The library would refuse a client with a grant that it does not have; Keyrock's `implicit` is ours.
  const grantTypes = [...grantsOf(consumer)].filter((one) => one !== 'implicit');
  const { allowed_scopes: scopes, request_object_signing_alg: requestAlgorithm, ...fields } = openidFieldsOf(extra);
  for (const name of KEY_FIELDS) delete fields[name];
  const { method } = authenticationOf(consumer);
  return {
    ...fields,
    ...impliedBy(profileOf(fields), fields),
    ...(scopes === undefined ? {} : { scope: (scopes as string[]).join(' ') }),
    post_logout_redirect_uris: fitting(postLogoutUrisOf(extra)),
    client_id: consumer.id,
    client_name: consumer.name,
    // The library knows no workloads, and gets our own assertion for both.
    token_endpoint_auth_method: method === 'workload_jwt' ? 'private_key_jwt' : method,
    ...(await proofOf(consumer, deps, keyOfRequest)),
    ...(requestAlgorithm === undefined ? {} : { [REQUEST_ALGORITHM]: requestAlgorithm }),
    application_type: native ? 'native' : 'web',
    redirect_uris: redirectUris,
    response_types: redirectUris.length > 0 && grantTypes.includes('authorization_code') ? ['code'] : [],
    grant_types: grantTypes,
    ...signInRequestsOf(consumer, grantTypes),
    ...(isStrangers(consumer) ? asStranger(consumer, redirectUris) : {}),
  };
}
