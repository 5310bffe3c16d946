// Weak settings, as docs/guide/hardening.md lists them, and proxies that are believed.
import { isIP } from 'node:net';
import proxyAddress from '@fastify/proxy-addr';
import { unprotectedAdministrators } from '../identity/access/context/index.ts';
import type { Reader } from '../identity/ground/database/index.ts';
import { tlsOf } from '../setting-rules.ts';
import type { DatabaseReport } from './databases.ts';
import { type Deployment, type Finding, fail, ok, reasonOf, warn } from './finding.ts';

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.');
const MIN_LENGTH = 8;
/** OWASP's least for argon2id: 19 MiB with two passes, or as much work with more of one. */
const MIN_ARGON2 = 19_456 * 2;
const DAY = 86_400;
const MAX_LISTED = 5;

type Weakness = readonly [check: string, isWeak: boolean, text: string, mend: string];

export function checkWeakSettings({ shared, identity, wallet }: Deployment): Finding[] {
  const hasTls = tlsOf(shared) !== undefined;
  const open = [identity, wallet].find(
    (config) => config && !isLoopback(config.host) && !hasTls && shared.trustedProxies.length === 0,
  );
  const failures: Weakness[] = [
    ['weak.rate-limits', !shared.rateLimits, 'guesses at passwords are not limited', 'remove GATEHOUSE_RATE_LIMITS=off'],
    [
      'weak.listen',
      open !== undefined,
      `it listens on ${open?.host} without TLS`,
      'listen on 127.0.0.1 behind a proxy, or set GATEHOUSE_TLS_CERT_FILE and GATEHOUSE_TLS_KEY_FILE',
    ],
  ];
  const warnings: Weakness[] = [
    [
      'weak.metrics',
      !isLoopback(shared.metricsHost),
      `metrics are served to everybody who reaches ${shared.metricsHost}`,
      'set GATEHOUSE_METRICS_HOST to an internal address, and let a firewall guard it',
    ],
    [
      'weak.outbound',
      shared.outboundAllow.length > 0,
      `calls may go to ${shared.outboundAllow.length} private or unencrypted places`,
      'remove from GATEHOUSE_OUTBOUND_ALLOW what is not needed: it is for development',
    ],
  ];
  if (identity) {
    const { passwordMinLength, passwordCommon, argon2Memory, argon2Passes, tokenSeconds, adminPassword, smtpHost, smtpTls } =
      identity;
    warnings.push(
      [
        'weak.password-length',
        passwordMinLength < MIN_LENGTH,
        `passwords of ${passwordMinLength} characters are accepted`,
        `require ${MIN_LENGTH} or more: in the console under Service, Settings, Passwords, or as GATEHOUSE_IDENTITY_PASSWORD_MIN_LENGTH`,
      ],
      [
        'weak.password-common',
        passwordCommon === 'allow',
        'passwords that attackers try first are accepted',
        'refuse them: in the console under Service, Settings, Passwords, or without GATEHOUSE_IDENTITY_PASSWORD_COMMON=allow',
      ],
      [
        'weak.password-hash',
        argon2Memory * argon2Passes < MIN_ARGON2,
        'password hashes are cheap to crack',
        'remove GATEHOUSE_IDENTITY_ARGON2_MEMORY and _PASSES, or raise them',
      ],
      [
        'weak.token-life',
        tokenSeconds > DAY,
        `a stolen token works for ${Math.round(tokenSeconds / 3600)} hours`,
        'lower GATEHOUSE_IDENTITY_TOKEN_SECONDS',
      ],
      [
        'weak.admin-password',
        adminPassword !== undefined,
        'the password of the first administrator is in the settings',
        'remove GATEHOUSE_ADMIN_PASSWORD: only the first start needs it',
      ],
      [
        'weak.mail',
        smtpHost !== undefined && smtpTls === 'off' && !isLoopback(smtpHost),
        'mails with links that let people in cross the network unencrypted',
        'choose STARTTLS or TLS: in the console under Service, Mail, or as GATEHOUSE_IDENTITY_SMTP_TLS',
      ],
    );
  }
  const of = (finding: typeof warn, all: readonly Weakness[]): Finding[] =>
    all.map(([check, isWeak, text, mend]) => (isWeak ? finding(check, text, mend) : ok(check, 'as recommended')));
  return [...of(fail, failures), ...of(warn, warnings)];
}

const KEYWORDS = ['loopback', 'linklocal', 'uniquelocal'];
/** So many addresses are no proxies of one operator. */
const isWide = (entry: string): boolean => {
  const [address = '', bits] = entry.split('/');
  const version = isIP(address);
  return version !== 0 && bits !== undefined && Number(bits) < (version === 4 ? 8 : 16);
};

export function checkProxies({ shared, identity, wallet }: Deployment): Finding[] {
  const check = 'trusted-proxies';
  const { trustedProxies: proxies } = shared;
  try {
    proxyAddress.compile(proxies.length === 1 && KEYWORDS.includes(proxies[0]!) ? proxies[0]! : [...proxies]);
  } catch {
    return [
      fail(
        check,
        'GATEHOUSE_TRUSTED_PROXIES is not a list of addresses',
        'write addresses or networks, such as 10.0.0.5 or 10.0.0.0/24',
      ),
    ];
  }
  const wide = proxies.find(isWide);
  if (wide)
    return [
      fail(
        check,
        `with ${wide}, nearly every client can forge its address`,
        'name your proxies in GATEHOUSE_TRUSTED_PROXIES, and nothing else',
      ),
    ];
  const isBehind = tlsOf(shared) === undefined && [identity?.url, wallet?.url].some((url) => url?.startsWith('https:'));
  if (isBehind && proxies.length === 0)
    return [
      fail(
        check,
        'a proxy terminates TLS, but none is trusted: rate limits count everybody as one address',
        'set GATEHOUSE_TRUSTED_PROXIES to the address of the proxy',
      ),
    ];
  return [ok(check, proxies.length === 0 ? 'none, and none is needed' : proxies.join(', '))];
}

export async function checkAdministrators(reports: readonly DatabaseReport[]): Promise<Finding[]> {
  const check = 'administrators';
  const database = reports.find(({ name }) => name === 'identity')?.database;
  if (!database) return [];
  try {
    const names = (await unprotectedAdministrators(database.read as Reader, MAX_LISTED)).map(({ name }) => name);
    if (names.length === 0) return [ok(check, 'all have a second factor or a passkey')];
    return [
      warn(
        check,
        `${names.join(', ')}${names.length === MAX_LISTED ? ', ...' : ''} sign in with a password alone`,
        'let them turn on a second factor or a passkey at /account',
      ),
    ];
  } catch (error) {
    return [fail(check, `they cannot be read (${reasonOf(error)})`, 'look at the log of the database')];
  }
}
