// What the provider says of itself. It may be away: it is asked when it is needed, and asked again until it answers.
import type { Configuration, CustomFetch } from 'openid-client';
import { fail } from '../faults.ts';

export interface ProviderOptions {
  readonly issuer: string;
  readonly scopes: string;
  /** What the node is registered with there; asked for when it is needed first. */
  client(): Promise<{ readonly clientId: string; readonly clientSecret: string | undefined }>;
}

/** Loaded when somebody logs in: it is large, and a node that only publishes documents never needs it. */
export interface DiscoveredProvider {
  readonly oidc: typeof import('openid-client');
  readonly config: Configuration;
}

/** Keys and addresses of a provider change now and then; a day is what its own caches allow. */
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
      // The library takes an ID token that came by TLS as it is; a signature costs little more.
      execute: [
        oidc.enableNonRepudiationChecks,
        // Whoever configures a provider on plain http wants it: the address is the operator's, not a stranger's.
        ...(issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []),
      ],
    });
  const config = await read(issuer).catch((error: { code?: string }) => {
    // Settings drop a slash at the end; the name of some providers has one.
    if (error.code !== 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') throw error;
    return read(`${issuer}/`);
  });
  config[oidc.customFetch] = guarded as CustomFetch;
  return { oidc, config };
}

const unavailable = (reason: string): never =>
  fail('identity-provider-unavailable', undefined, { reason, headers: { 'Retry-After': RETRY_SECONDS } });

/** Asked once for all who wait, and then a day later; one that failed is asked again after a moment. */
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
        // What it said yesterday most likely still holds.
        if (former) return former.result;
        return unavailable(failure);
      }),
    };
    last = attempt;
    return attempt.result;
  };
}
