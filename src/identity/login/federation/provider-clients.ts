// The clients for the configured providers. A provider is contacted when somebody first signs in through it.
import { createProvider, createVerifyToken, type Provider, type VerifyToken } from '../../../platform/openid-client/index.ts';
import type { Outbound } from '../../../platform/outbound/index.ts';
import type { OpenidProviderRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { optionsOf } from './client-options.ts';
import { callbackPath, requestPath } from './openid-settings.schema.ts';
import type { ProviderKeys } from './provider-keys.rules.ts';
import type { ProviderMessages } from './provider-messages.rules.ts';
import type { ProviderRegistrations } from './provider-registrations.rules.ts';

export interface ProviderClient {
  readonly provider: Provider;
  /** Verifies what the provider signed. */
  readonly verify: VerifyToken;
}

export interface ProviderClientDeps {
  readonly outbound: Outbound;
  issuer(): string;
  secretOf(row: OpenidProviderRow): string | undefined;
  readonly keys: Pick<ProviderKeys, 'load'>;
  readonly messages: Pick<ProviderMessages, 'publish'>;
  readonly registrations: Pick<ProviderRegistrations, 'metadataOf'>;
}

const RETRY_SECONDS = '5';
const unavailable = (reason: string): never =>
  fail('identity_provider.unavailable', undefined, { reason, headers: { 'Retry-After': RETRY_SECONDS } });

export function createProviderClients({ outbound, issuer, secretOf, keys, messages, registrations }: ProviderClientDeps) {
  /** By provider. Replaced when the settings change: what was discovered belongs to the former ones. */
  const clients = new Map<string, ProviderClient & { readonly version: number }>();

  return (row: OpenidProviderRow): ProviderClient => {
    const { provider_id: id, version } = row;
    const known = clients.get(id);
    if (known?.version === version) return known;
    const way = optionsOf(row);
    const provider = createProvider(
      {
        issuer: row.issuer,
        scopes: (JSON.parse(row.scopes) as string[]).join(' '),
        needsUserInfo: true,
        way,
        client: async () => ({
          clientId: row.client_id,
          clientSecret: secretOf(row),
          keys: await keys.load(id, way),
          metadata: await registrations.metadataOf(id),
        }),
      },
      {
        outbound,
        unavailable,
        redirectUri: () => issuer() + callbackPath(id),
        publish: async (object, state) => issuer() + requestPath(id, await messages.publish(id, state, object)),
      },
    );
    const client = { provider, verify: createVerifyToken(provider), version };
    clients.set(id, client);
    return client;
  };
}

export type ProviderClients = ReturnType<typeof createProviderClients>;
