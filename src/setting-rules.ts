// Rules about several settings at once. A start checks them before it creates anything; `gatehouse doctor` checks them, too.
import { accessSync, constants } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { IdentityConfig } from './identity/ground/settings/index.ts';
import { ConfigError } from './platform/config/index.ts';
import type { ProviderOptions } from './platform/openid-client/index.ts';
import type { SharedConfig } from './settings.ts';
import type { WalletConfig } from './wallet/ground/settings.ts';

export interface RunOptions {
  readonly shared: SharedConfig;
  /** Undefined if it does not run in this process. */
  readonly identity?: IdentityConfig;
  readonly wallet?: WalletConfig;
}

export function tlsOf({ tlsCertFile, tlsKeyFile }: SharedConfig): { certFile: string; keyFile: string } | undefined {
  if (!tlsCertFile && !tlsKeyFile) return undefined;
  if (!tlsCertFile || !tlsKeyFile)
    throw new ConfigError('GATEHOUSE_TLS_CERT_FILE and GATEHOUSE_TLS_KEY_FILE go together; set both or neither');
  for (const [key, file] of Object.entries({ GATEHOUSE_TLS_CERT_FILE: tlsCertFile, GATEHOUSE_TLS_KEY_FILE: tlsKeyFile })) {
    try {
      accessSync(file, constants.R_OK);
    } catch (error) {
      throw new ConfigError(
        `${key}: cannot read ${file} (${(error as NodeJS.ErrnoException).code}); give the path of a readable PEM file`,
      );
    }
  }
  return { certFile: tlsCertFile, keyFile: tlsKeyFile };
}

/** How many processes serve. */
export const workersOf = ({ workers }: SharedConfig): number => (workers === 'auto' ? availableParallelism() : workers);

export function checkDatabases({ identity, wallet }: RunOptions, workers: number): void {
  const urls = { GATEHOUSE_IDENTITY_DATABASE_URL: identity, GATEHOUSE_WALLET_DATABASE_URL: wallet };
  const missing = Object.entries(urls).find(([, config]) => config && !config.databaseUrl)?.[0];
  if (workers > 1 && missing)
    throw new ConfigError(`GATEHOUSE_WORKERS: more than one process needs PostgreSQL; set ${missing}, or 1 worker`);
  if (identity?.standbyUrl && !identity.databaseUrl)
    throw new ConfigError('GATEHOUSE_IDENTITY_STANDBY_URL needs GATEHOUSE_IDENTITY_DATABASE_URL, the address of the primary');
  if (identity?.databaseUrl && identity.databaseUrl === wallet?.databaseUrl)
    throw new ConfigError('GATEHOUSE_WALLET_DATABASE_URL must name another database than GATEHOUSE_IDENTITY_DATABASE_URL');
}

/** Nobody could send the header: every application with a certificate would be refused. */
export function checkClientCertificates({ shared, identity }: RunOptions): void {
  if (identity?.clientCertificateHeader !== undefined && shared.trustedProxies.length === 0)
    throw new ConfigError(
      'GATEHOUSE_IDENTITY_CLIENT_CERTIFICATE_HEADER is read from trusted proxies only; name them in GATEHOUSE_TRUSTED_PROXIES',
    );
  if (identity?.tlsClientCertificates && tlsOf(shared) === undefined)
    throw new ConfigError(
      'GATEHOUSE_IDENTITY_TLS_CLIENT_CERTIFICATES needs GATEHOUSE_TLS_CERT_FILE and GATEHOUSE_TLS_KEY_FILE: behind a proxy, set GATEHOUSE_IDENTITY_CLIENT_CERTIFICATE_HEADER',
    );
}

/** The configured provider; undefined if the identity service in this process is the provider. */
export function configuredProvider({
  oidcIssuer,
  oidcClientId,
  oidcClientSecret,
  oidcScopes,
  oidcSigningAlgorithm,
}: WalletConfig): ProviderOptions | undefined {
  if (oidcIssuer === undefined) return undefined;
  if (oidcClientId === undefined)
    throw new ConfigError('GATEHOUSE_WALLET_OIDC_CLIENT_ID must be set with GATEHOUSE_WALLET_OIDC_ISSUER');
  return {
    issuer: oidcIssuer,
    scopes: oidcScopes ?? 'openid profile email',
    signingAlgorithm: oidcSigningAlgorithm === 'any' ? undefined : oidcSigningAlgorithm,
    client: async () => ({ clientId: oidcClientId, clientSecret: oidcClientSecret }),
  };
}

/** Checks the settings before anything is created. */
export function checkWallet(config: WalletConfig, isAlone: boolean): void {
  if (config.url && new URL(config.url).pathname !== '/')
    throw new ConfigError('GATEHOUSE_WALLET_URL must have no path: the DIDs of the node are derived from its host');
  if (!configuredProvider(config) && isAlone)
    throw new ConfigError(
      'GATEHOUSE_WALLET_OIDC_ISSUER must be set for a wallet node that runs alone: the OpenID provider people log in through',
    );
}
