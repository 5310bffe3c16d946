// Discovery of the provider, when it is first needed. If the provider is unavailable, it is tried again.
import type { ClientMetadata, Configuration, CustomFetch, DPoPHandle } from 'openid-client';
import type { ProviderAlgorithm } from './algorithms.ts';
import {
  acceptedMetadata,
  CLIENT_AUTHENTICATIONS,
  type ClientKeys,
  type ClientWay,
  PROFILES,
  type Registration,
  TOKEN_BINDINGS,
  USUAL_WAY,
} from './ways.ts';

export interface ProviderOptions {
  readonly issuer: string;
  readonly scopes: string;
  /** A login fails when the claims of userinfo cannot be read: without them a person would lose groups. */
  readonly needsUserInfo?: boolean;
  /** The usual one, if not given. */
  readonly way?: ClientWay;
  /** It knows every name of this machine (localhost, 127.0.0.1), so that a program that logs in at one of them returns there. */
  readonly knowsOtherNames?: boolean;
  /**
   * What the provider signs our ID tokens with, as it is registered there (`id_token_signed_response_alg`). Undefined: whatever its metadata
   * name.
   */
  readonly signingAlgorithm?: ProviderAlgorithm | undefined;
  /** The client registration, loaded when it is first needed. */
  client(): Promise<{
    readonly clientId: string;
    readonly clientSecret: string | undefined;
    readonly keys?: ClientKeys | undefined;
    /** What else was agreed on when it was registered. */
    readonly metadata?: Partial<ClientMetadata> | undefined;
  }>;
}

/** Fails because the provider cannot be used now. `reason` is for the log. */
export type Unavailable = (reason: string) => never;

/** The library is large and loaded at the first login. A service where nobody logs in never loads it. */
export interface DiscoveredProvider {
  readonly oidc: typeof import('openid-client');
  readonly config: Configuration;
  readonly needsUserInfo?: boolean;
  readonly way: ClientWay;
  readonly registration: Registration;
  /** Where tokens are bound to a key. */
  readonly dpop: DPoPHandle | undefined;
}

/** Keys and addresses of a provider change rarely. */
const DISCOVERED_MS = 24 * 3600 * 1000;
const AGAIN_MS = 2_000;
const TIMEOUT_SECONDS = 5;

const withoutSlash = (issuer: string): string => issuer.replace(/\/+$/, '');

/** Browsers are sent there, so it is no other scheme, such as `javascript:`. `isPlain`: of a provider that the operator wants without TLS. */
export function isForBrowsers(address: unknown, isPlain: boolean): boolean {
  const protocol = typeof address === 'string' ? URL.parse(address)?.protocol : undefined;
  return protocol === 'https:' || (isPlain && protocol === 'http:');
}

async function discover(options: ProviderOptions, guarded: typeof fetch): Promise<DiscoveredProvider> {
  const { issuer, way = USUAL_WAY, signingAlgorithm } = options;
  const isPlain = issuer.startsWith('http:');
  const oidc = await import('openid-client');
  const { clientId, metadata: agreed, ...registration } = await options.client();
  const signed = signingAlgorithm === undefined ? {} : { id_token_signed_response_alg: signingAlgorithm };
  const metadata = acceptedMetadata(way, { ...agreed, ...signed });
  const auth = CLIENT_AUTHENTICATIONS[way.client_authentication].prove(oidc, registration);
  // By default the library does not verify signatures of ID tokens received over TLS.
  // The operator configured a plain http address on purpose.
  const execute = [oidc.enableNonRepudiationChecks, ...(isPlain ? [oidc.allowInsecureRequests] : [])];
  const read = (from: string): Promise<Configuration> =>
    oidc.discovery(new URL(from), clientId, metadata, auth, {
      [oidc.customFetch]: guarded as CustomFetch,
      timeout: TIMEOUT_SECONDS,
      execute,
    });
  const found = await read(issuer).catch((error: { code?: string }) => {
    // Settings remove a trailing slash, but the issuer of some providers has one.
    if (error.code !== 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') throw error;
    return read(`${issuer}/`);
  });
  const { issuer: named, authorization_endpoint: signIn } = found.serverMetadata();
  // The library lets Microsoft name another issuer: with `common`, any tenant of the world could sign in.
  if (withoutSlash(named) !== withoutSlash(issuer)) throw new Error(`the provider calls itself ${named}, and not ${issuer}`);
  if (!isForBrowsers(signIn, isPlain)) throw new Error('authorization_endpoint is missing, or is no https address');
  const said = PROFILES[way.profile].demands({ ...found.serverMetadata() });
  const config = new oidc.Configuration(said, clientId, metadata, auth);
  config[oidc.customFetch] = guarded as CustomFetch;
  config.timeout = TIMEOUT_SECONDS;
  for (const extend of execute) extend(config);
  const dpop = TOKEN_BINDINGS[way.token_binding].handle(oidc, config, registration.keys);
  return { oidc, config, needsUserInfo: options.needsUserInfo ?? false, way, registration, dpop };
}

/** Runs once for all waiting callers, and again after a day. After a failure it is tried again shortly. */
export function createDiscovery(
  options: ProviderOptions,
  guarded: typeof fetch,
  unavailable: Unavailable,
): () => Promise<DiscoveredProvider> {
  let last: { at: number; result: Promise<DiscoveredProvider> } | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let failure = '';
  return async () => {
    const now = performance.now();
    const former = last;
    if (former && now - former.at < DISCOVERED_MS) return former.result;
    if (now - failedAt < AGAIN_MS) return former ? former.result : unavailable(failure);
    const attempt = {
      at: now,
      result: discover(options, guarded).catch((error: unknown) => {
        failedAt = performance.now();
        failure = `discovery: ${(error as Error).message}`;
        last = former;
        // The previous result is most likely still valid.
        if (former) return former.result;
        return unavailable(failure);
      }),
    };
    last = attempt;
    return attempt.result;
  };
}
