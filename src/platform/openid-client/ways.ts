// What a client of OpenID providers may choose. Each way is an object in a table; nothing else asks which one it is.
import type {
  ClientAuth,
  ClientMetadata,
  Configuration,
  CryptoKey,
  CryptoKeyPair,
  DPoPHandle,
  ServerMetadata,
} from 'openid-client';
import { InvalidRequestReference } from './errors.ts';

type Library = typeof import('openid-client');

export interface SigningKey {
  readonly kid: string;
  readonly key: CryptoKey;
}

/** Keys of ours at one provider. */
export interface ClientKeys {
  /** The one that is used now; undefined if there is none. */
  signing(): SigningKey | undefined;
  readonly dpop: CryptoKeyPair | undefined;
}

export interface Registration {
  readonly clientSecret: string | undefined;
  readonly keys?: ClientKeys | undefined;
}

function signingKeyOf({ keys }: Registration): SigningKey {
  const key = keys?.signing();
  if (!key) throw new Error('there is no key to sign with');
  return key;
}

/** How the answer of the provider comes back: in the address, or as a form that the browser posts (OAuth 2.0 Form Post Response Mode). */
export const RESPONSE_MODES = {
  query: {},
  form_post: { response_mode: 'form_post' },
} as const satisfies Record<string, Readonly<Record<string, string>>>;

type Metadata = Partial<ClientMetadata>;

interface ClientAuthentication {
  /** With a key of ours. */
  readonly signs?: true;
  /** What is registered for it, beside its name. */
  readonly registered?: (way: Pick<ClientWay, 'signing_alg'>) => Metadata;
  prove(oidc: Library, registration: Registration): ClientAuth;
}

const byPrivateKey: ClientAuthentication = {
  signs: true,
  registered: ({ signing_alg: alg }) => ({ token_endpoint_auth_signing_alg: alg }),
  // The key is chosen with each request: another one may have come since.
  prove: (oidc, registration) => (server, client, body, headers) =>
    oidc.PrivateKeyJwt(signingKeyOf(registration))(server, client, body, headers),
};

/** How we prove who we are (OpenID Connect Core 1.0, 9). A client without a secret is a public one. */
export const CLIENT_AUTHENTICATIONS = {
  client_secret_basic: {
    prove: (oidc, { clientSecret }) => (clientSecret === undefined ? oidc.None() : oidc.ClientSecretBasic(clientSecret)),
  },
  client_secret_post: {
    prove: (oidc, { clientSecret }) => (clientSecret === undefined ? oidc.None() : oidc.ClientSecretPost(clientSecret)),
  },
  private_key_jwt: byPrivateKey,
} as const satisfies Record<string, ClientAuthentication>;

/** What a request for authorization needs. */
export interface Asking {
  readonly oidc: Library;
  readonly config: Configuration;
  readonly dpop: DPoPHandle | undefined;
  readonly registration: Registration;
  /** Puts a request object where the provider reads it, and returns the address. */
  publish(requestObject: string, state: string): Promise<string>;
}

export type AuthorizationParameters = Readonly<Record<string, string>> & { readonly state: string };

interface RequestForm {
  readonly signs?: true;
  readonly registered?: (way: Pick<ClientWay, 'signing_alg'>) => Metadata;
  address(asking: Asking, parameters: AuthorizationParameters): Promise<URL>;
}

/** It becomes part of an address. */
const MAX_REFERENCE = 2048;

async function pushed({ oidc, config, dpop }: Asking, parameters: AuthorizationParameters): Promise<URL> {
  const url = await oidc.buildAuthorizationUrlWithPAR(config, { ...parameters }, dpop && { DPoP: dpop });
  const reference = url.searchParams.get('request_uri') ?? '';
  if (reference === '' || reference.length > MAX_REFERENCE)
    throw new InvalidRequestReference('PAR: request_uri is empty, or too long');
  return url;
}

/** With what OpenID Connect wants beside the reference (Core 1.0, 6.2). */
const byReference = ({ oidc, config }: Asking, { scope = '' }: AuthorizationParameters, reference: string): URL =>
  oidc.buildAuthorizationUrl(config, { request_uri: reference, scope, response_type: 'code' });

async function requestObjectOf(asking: Asking, parameters: AuthorizationParameters): Promise<URL> {
  const { oidc, config, registration } = asking;
  return oidc.buildAuthorizationUrlWithJAR(config, { ...parameters }, signingKeyOf(registration));
}

const signedRequests = ({ signing_alg: alg }: Pick<ClientWay, 'signing_alg'>): Metadata => ({ request_object_signing_alg: alg });

/** How the request gets to the provider. What it names `require_pushed_authorization_requests` is pushed in any case. */
export const REQUEST_FORMS = {
  parameters: {
    async address(asking, parameters) {
      const { oidc, config, dpop } = asking;
      if (config.serverMetadata().require_pushed_authorization_requests === true) return pushed(asking, parameters);
      return oidc.buildAuthorizationUrl(config, {
        ...parameters,
        ...(dpop ? { dpop_jkt: await dpop.calculateThumbprint() } : {}),
      });
    },
  },
  pushed: { registered: () => ({ require_pushed_authorization_requests: true }), address: pushed },
  signed: { signs: true, registered: signedRequests, address: requestObjectOf },
  signed_by_reference: {
    signs: true,
    registered: signedRequests,
    async address(asking, parameters) {
      const { searchParams } = await requestObjectOf(asking, parameters);
      const reference = await asking.publish(searchParams.get('request')!, parameters.state);
      return byReference(asking, parameters, reference);
    },
  },
  unsigned_by_reference: {
    registered: () => ({ request_object_signing_alg: 'none' }),
    async address(asking, parameters) {
      const { UnsecuredJWT } = await import('jose');
      const { client_id } = asking.config.clientMetadata();
      const object = new UnsecuredJWT({ ...parameters, client_id, response_type: 'code' })
        .setIssuer(client_id)
        .setAudience(asking.config.serverMetadata().issuer)
        .setIssuedAt()
        .setExpirationTime('5m')
        .encode();
      return byReference(asking, parameters, await asking.publish(object, parameters.state));
    },
  },
} as const satisfies Record<string, RequestForm>;

interface TokenBinding {
  readonly registered?: () => Metadata;
  /** Proves the possession of a key with each request that a token is asked for by, or used with. */
  handle(oidc: Library, config: Configuration, keys: ClientKeys | undefined): DPoPHandle | undefined;
}

/** Whom the tokens are good for: whoever has them, or only us (DPoP, RFC 9449). */
export const TOKEN_BINDINGS = {
  none: { handle: () => undefined },
  dpop: {
    registered: () => ({ dpop_bound_access_tokens: true }),
    handle(oidc, config, keys) {
      if (!keys?.dpop) throw new Error('there is no key to bind tokens to');
      return oidc.getDPoPHandle(config, keys.dpop);
    },
  },
} as const satisfies Record<string, TokenBinding>;

/** The algorithms that our own keys are for. */
export const SIGNING_ALGORITHMS = { ES256: {}, PS256: {}, RS256: {} } as const;

interface Profile {
  /** What it leaves no choice about. */
  readonly implied: Partial<ClientWay>;
  /** What is too weak for it. */
  readonly refused: { readonly signing_alg: readonly (keyof typeof SIGNING_ALGORITHMS)[] };
  /** What the provider may sign with. */
  accepts(alg: unknown): boolean;
  /** As if the provider said so itself. */
  demands(metadata: ServerMetadata): ServerMetadata;
}

const isForFapi = (alg: unknown): boolean => (['PS256', 'ES256', 'EdDSA', 'Ed25519'] as unknown[]).includes(alg);

/** Rules that are kept as a whole. */
export const PROFILES = {
  none: { implied: {}, refused: { signing_alg: [] }, accepts: () => true, demands: (metadata) => metadata },
  /** FAPI 2.0 Security Profile, final, 5.3.3 and 5.4. */
  fapi2: {
    implied: { client_authentication: 'private_key_jwt', request_form: 'pushed', token_binding: 'dpop' },
    refused: { signing_alg: ['RS256'] },
    accepts: isForFapi,
    demands: (metadata) => ({
      ...metadata,
      // RFC 9207: against mix-up. The library asks for it then.
      authorization_response_iss_parameter_supported: true,
      id_token_signing_alg_values_supported: (metadata.id_token_signing_alg_values_supported ?? []).filter(isForFapi),
      userinfo_signing_alg_values_supported: (metadata.userinfo_signing_alg_values_supported ?? []).filter(isForFapi),
    }),
  },
} as const satisfies Record<string, Profile>;

/** By the names of our API. */
export interface ClientWay {
  readonly profile: keyof typeof PROFILES;
  readonly response_mode: keyof typeof RESPONSE_MODES;
  readonly client_authentication: keyof typeof CLIENT_AUTHENTICATIONS;
  readonly request_form: keyof typeof REQUEST_FORMS;
  readonly token_binding: keyof typeof TOKEN_BINDINGS;
  /** Of our keys. */
  readonly signing_alg: keyof typeof SIGNING_ALGORITHMS;
  /** An API of the provider that says more about the person, asked with the access token. */
  readonly claims_uri: string | null;
}

export type ResponseMode = ClientWay['response_mode'];

export const USUAL_WAY: ClientWay = {
  profile: 'none',
  response_mode: 'query',
  client_authentication: 'client_secret_basic',
  request_form: 'parameters',
  token_binding: 'none',
  signing_alg: 'ES256',
  claims_uri: null,
};

/** What a client says of its ways when it is registered (RFC 7591). */
export function registeredMetadata(way: ClientWay): Metadata {
  const authentication: ClientAuthentication = CLIENT_AUTHENTICATIONS[way.client_authentication];
  const form: RequestForm = REQUEST_FORMS[way.request_form];
  const binding: TokenBinding = TOKEN_BINDINGS[way.token_binding];
  return {
    token_endpoint_auth_method: way.client_authentication,
    ...authentication.registered?.(way),
    ...form.registered?.(way),
    ...binding.registered?.(),
  };
}

/** What was agreed on at the registration, as far as the profile has it: to the library it would count more than what the profile demands. */
export const acceptedMetadata = ({ profile }: ClientWay, agreed: Metadata): Metadata =>
  Object.fromEntries(
    Object.entries(agreed).filter(([name, value]) => !name.endsWith('_signed_response_alg') || PROFILES[profile].accepts(value)),
  );

const signs = (way: ClientAuthentication | RequestForm): boolean => way.signs === true;

/** Which keys of ours are needed. */
export const neededKeys = (way: ClientWay): { readonly sig: boolean; readonly dpop: boolean } => ({
  sig: signs(CLIENT_AUTHENTICATIONS[way.client_authentication]) || signs(REQUEST_FORMS[way.request_form]),
  dpop: way.token_binding === 'dpop',
});
