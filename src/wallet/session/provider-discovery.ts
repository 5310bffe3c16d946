// Discovery of the provider, when it is first needed. If the provider is unavailable, it is tried again.
import type { Configuration, CustomFetch } from 'openid-client';
import { fail } from '../faults.ts';

export interface ProviderOptions {
  readonly issuer: string;
  readonly scopes: string;
  /** The client registration of the node, loaded when it is first needed. */
  client(): Promise<{ readonly clientId: string; readonly clientSecret: string | undefined }>;
}

/** The library is large and loaded at the first login. A node that only publishes documents never loads it. */
export interface DiscoveredProvider {
  readonly oidc: typeof import('openid-client');
  readonly config: Configuration;
}

/** Keys and addresses of a provider change rarely. */
const DISCOVERED_MS = 24 * 3600 * 1000;
const AGAIN_MS = 2_000;
const RETRY_SECONDS = '5';

async function discover(options: ProviderOptions, guarded: typeof fetch): Promise<DiscoveredProvider> {
  const { issuer } = options;
  const oidc = await import('openid-client');
  const { clientId, clientSecret } = await options.client();
  const auth = clientSecret === undefined ? oidc.None() : oidc.ClientSecretBasic(clientSecret);
  const read = (from: string): Promise<Configuration> =>
    oidc.discovery(new URL(from), clientId, undefined, auth, {
      [oidc.customFetch]: guarded as CustomFetch,
      timeout: 5,
      // By default the library does not verify signatures of ID tokens received over TLS.
      execute: [
        oidc.enableNonRepudiationChecks,
        // The operator configured a plain http address on purpose.
        ...(issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []),
      ],
    });
  const config = await read(issuer).catch((error: { code?: string }) => {
    // Settings remove a trailing slash, but the issuer of some providers has one.
    if (error.code !== 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') throw error;
    return read(`${issuer}/`);
  });
  config[oidc.customFetch] = guarded as CustomFetch;
  return { oidc, config };
}

const unavailable = (reason: string): never =>
  fail('identity-provider-unavailable', undefined, { reason, headers: { 'Retry-After': RETRY_SECONDS } });

/** Runs once for all waiting callers, and again after a day. After a failure it is tried again shortly. */
export function createDiscovery(options: ProviderOptions, guarded: typeof fetch): () => Promise<DiscoveredProvider> {
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
