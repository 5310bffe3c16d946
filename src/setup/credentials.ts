// Who applies a file: the variables of OpenStack's clients, or a file with a token.
import { readFileSync, statSync } from 'node:fs';
import type { Environment } from '../platform/config/index.ts';
import { SetupError, shown } from './text.ts';

export interface Credentials {
  readonly url: string;
  /** A token that exists. Otherwise `login` makes one. */
  readonly token?: string;
  readonly login?: unknown;
  /** GATEHOUSE_OUTBOUND_ALLOW: hosts that may be called without TLS. */
  readonly outboundAllow: readonly string[];
}

const MAX_SECRET_BYTES = 16 * 1024;

/** A file with one secret, which others must not read. */
export function readSecretFile(path: string): string {
  try {
    const { mode, size } = statSync(path);
    if ((mode & 0o077) !== 0) throw new SetupError(`${shown(path)}: others can read it; run: chmod 600`);
    if (size > MAX_SECRET_BYTES) throw new SetupError(`${shown(path)}: is too large for a secret`);
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    if (text === '') throw new SetupError(`${shown(path)}: is empty`);
    return text;
  } catch (error) {
    if (error instanceof SetupError) throw error;
    throw new SetupError(`${shown(path)}: cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

const domainOf = (env: Environment, kind: 'USER' | 'PROJECT'): Record<string, string> => {
  const id = env[`OS_${kind}_DOMAIN_ID`];
  const name = env[`OS_${kind}_DOMAIN_NAME`];
  if (id) return { id };
  return name ? { name } : { id: env.OS_DEFAULT_DOMAIN_ID || 'default' };
};

function scopeOf(env: Environment): unknown {
  if (env.OS_SYSTEM_SCOPE) return { system: { all: true } };
  if (env.OS_PROJECT_ID) return { project: { id: env.OS_PROJECT_ID } };
  if (env.OS_PROJECT_NAME) return { project: { name: env.OS_PROJECT_NAME, domain: domainOf(env, 'PROJECT') } };
  if (env.OS_DOMAIN_ID) return { domain: { id: env.OS_DOMAIN_ID } };
  if (env.OS_DOMAIN_NAME) return { domain: { name: env.OS_DOMAIN_NAME } };
  // A set-up is for the whole service.
  return { system: { all: true } };
}

function loginOf(env: Environment): unknown {
  const password = env.OS_PASSWORD_FILE ? readSecretFile(env.OS_PASSWORD_FILE) : env.OS_PASSWORD;
  const ref = env.OS_USER_ID
    ? { id: env.OS_USER_ID }
    : env.OS_USERNAME
      ? { name: env.OS_USERNAME, domain: domainOf(env, 'USER') }
      : undefined;
  if (!ref || !password)
    throw new SetupError(
      'no credentials: set OS_USERNAME and OS_PASSWORD (or OS_PASSWORD_FILE), or OS_TOKEN, or --token-file FILE; see docs/guide/setup-file.md',
    );
  const passcode = env.OS_PASSCODE;
  return {
    auth: {
      identity: {
        methods: passcode ? ['password', 'totp'] : ['password'],
        password: { user: { ...ref, password } },
        ...(passcode ? { totp: { user: { ...ref, passcode } } } : {}),
      },
      scope: scopeOf(env),
    },
  };
}

/** `serviceUrl`: the address by the settings, for use on the machine of the service. */
export function readCredentials(
  env: Environment,
  {
    tokenFile,
    serviceUrl,
    outboundAllow,
  }: { tokenFile: string | undefined; serviceUrl: string; outboundAllow: readonly string[] },
): Credentials {
  const address = (env.OS_AUTH_URL || serviceUrl).replace(/\/+$/, '').replace(/\/v3$/, '');
  const url = URL.parse(address);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '' || url.search !== '')
    throw new SetupError('OS_AUTH_URL: must be the address of the identity service, such as https://id.example.org');
  const token = tokenFile === undefined ? env.OS_TOKEN || env.OS_AUTH_TOKEN : readSecretFile(tokenFile);
  return { url: address, outboundAllow, ...(token ? { token } : { login: loginOf(env) }) };
}
