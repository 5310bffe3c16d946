// Rules about several settings of the identity service at once. A start checks them before it creates anything, and so does a change of
// settings that are stored.
import { ConfigError } from '../../../platform/config/index.ts';
import { smtpPort } from '../../../platform/mail/index.ts';
import { checkMail } from '../mail/index.ts';
import { type IdentityConfig, identitySettings } from '../settings/index.ts';

/** Throws ConfigError with a sentence that says what is missing. */
export function checkTogether(config: IdentityConfig, dataDir: string): void {
  if (config.webhookUrl && !config.webhookSecret)
    throw new ConfigError(
      'GATEHOUSE_IDENTITY_WEBHOOK_SECRET must be set with GATEHOUSE_IDENTITY_WEBHOOK_URL; it signs the messages',
    );
  if (config.termsVersion && !config.termsUrl)
    throw new ConfigError(
      'GATEHOUSE_IDENTITY_TERMS_URL must be set with GATEHOUSE_IDENTITY_TERMS_VERSION; people read there what they accept',
    );
  if (config.termsAtSignIn && !config.termsVersion)
    throw new ConfigError(
      'GATEHOUSE_IDENTITY_TERMS_VERSION must be set with GATEHOUSE_IDENTITY_TERMS_AT_SIGN_IN; otherwise there is nothing to accept',
    );
  if (config.walletProvidersFile === undefined && config.keyAttestations === 'required')
    throw new ConfigError(
      'GATEHOUSE_IDENTITY_KEY_ATTESTATIONS: nobody could attest keys; set GATEHOUSE_IDENTITY_WALLET_PROVIDERS_FILE',
    );
  checkDashboards(config);
  checkMail(config, dataDir);
}

/** By its name and the port in use: on another port of the machine may be a server of somebody else. */
const mailServer = ({ smtpHost, smtpPort: port, smtpTls: tls }: IdentityConfig): string =>
  `${smtpHost ?? ''}:${smtpPort({ port, tls })}`;

/** A password is for the server that it was given with: nobody who does not know it sends it to another one. Throws as above. */
export function checkSecretsStay(
  former: IdentityConfig,
  next: IdentityConfig,
  changes: Readonly<Record<string, string | null>>,
): void {
  const { smtpHost: server, smtpPort: port, smtpPassword: password } = identitySettings;
  if (next.smtpPassword === undefined || mailServer(next) === mailServer(former) || changes[password.key]) return;
  throw new ConfigError(
    `${password.key} is for the former server; give it again with another ${server.key} or ${port.key}, or remove it`,
  );
}

/** They receive tokens of people. */
function checkDashboards({ trustedDashboards, url: ours }: IdentityConfig): void {
  const name = 'GATEHOUSE_IDENTITY_TRUSTED_DASHBOARD';
  for (const dashboard of trustedDashboards) {
    const url = URL.parse(dashboard);
    if (!url || !/^https?:\/\/[\w.:[\]-]+(?:\/[^#\s]*)?$/.test(dashboard))
      throw new ConfigError(`${name}: "${dashboard}" is not the http or https address of a dashboard`);
    if (ours?.startsWith('https:') && url.protocol !== 'https:')
      throw new ConfigError(`${name}: ${dashboard} must begin with https:, as the address of this service does`);
  }
}
