// Opens tokens that a Keystone issued, by its own keys: Fernet and JWS. Who is meant must exist here, and what they may do is decided here.
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log/index.ts';
import type { TokenRecord } from '../../access/context/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import { recordOf } from './claims.ts';
import { type FernetKey, fernetKeyOf, isFernet, openFernet, readFernet } from './fernet.ts';
import { isJws, isSigned, type JwsKey, jwsKeyOf, readJws } from './jws.ts';
import { createKeyFolder } from './key-folder.ts';
import { readPayload } from './payloads.ts';

/**
 * How far the clocks of a Keystone and of this service may differ. A token that is further ahead is refused; and what ends tokens here ends
 * those, too, that were issued so shortly after it: a clock that is ahead may have issued them before.
 */
export const KEYSTONE_CLOCK_MS = 5000;
/** Checking a signature takes longer than an HMAC. */
const MOST_FERNET_KEYS = 32;
const MOST_JWS_KEYS = 8;

export interface KeystoneTokens {
  /** Whether it has the form of theirs. None of ours has it, because our tokens begin with the number of a key, and are not that many. */
  hasForm(text: string): boolean;
  /** Undefined when none of the keys made it, or when it says what no token of Keystone says. Whether it is good now is not asked. */
  open(text: string): TokenRecord | undefined;
  /** Of a text with the form. Others when they changed: what was opened by a key that is gone must be opened anew. */
  keysFor(text: string): unknown;
  /** In milliseconds: from then on none of them is good. */
  readonly until: number;
}

type Settings = Pick<IdentityConfig, 'keystoneFernetKeys' | 'keystoneJwsKeys' | 'keystoneAuthMethods' | 'keystoneTokensUntil'>;

/** Undefined when there are no keys. Throws ConfigError when a folder is not readable, or has none. */
export function createKeystoneTokens({
  config,
  clock,
  log,
}: {
  readonly config: Settings;
  readonly clock: Clock;
  readonly log: Log;
}): KeystoneTokens | undefined {
  const { keystoneFernetKeys, keystoneJwsKeys, keystoneAuthMethods: methods, keystoneTokensUntil } = config;
  const fernet =
    keystoneFernetKeys === undefined
      ? undefined
      : createKeyFolder<FernetKey>({
          setting: 'GATEHOUSE_IDENTITY_KEYSTONE_FERNET_KEYS',
          folder: keystoneFernetKeys,
          most: MOST_FERNET_KEYS,
          what: 'Fernet keys',
          isKey: (name) => /^\d+$/.test(name),
          parse: fernetKeyOf,
          log,
        });
  const jws =
    keystoneJwsKeys === undefined
      ? undefined
      : createKeyFolder<JwsKey>({
          setting: 'GATEHOUSE_IDENTITY_KEYSTONE_JWS_KEYS',
          folder: keystoneJwsKeys,
          most: MOST_JWS_KEYS,
          what: 'public keys (PEM)',
          isKey: () => true,
          parse: jwsKeyOf,
          log,
        });
  if (!fernet && !jws) return undefined;
  let warnedAt = Number.NEGATIVE_INFINITY;

  /** It is of a Keystone, and still not understood: the operator may have to enter the methods in its order. */
  function warn(): undefined {
    if (clock.now() - warnedAt < 60_000) return undefined;
    warnedAt = clock.now();
    log.warn('a token of Keystone is not understood: GATEHOUSE_IDENTITY_KEYSTONE_AUTH_METHODS must name `[auth] methods` of it');
    return undefined;
  }

  /** Before anything is computed: a stranger can make it up. */
  const isAhead = (issuedAt: number): boolean => issuedAt > clock.now() + KEYSTONE_CLOCK_MS;

  function openAsFernet(text: string, keys: readonly FernetKey[]): TokenRecord | undefined {
    const envelope = readFernet(text);
    if (!envelope || isAhead(envelope.issuedAt)) return undefined;
    const content = openFernet(envelope, keys);
    if (!content) return undefined;
    const claims = readPayload(content, methods, envelope.issuedAt);
    return (claims && recordOf(claims)) ?? warn();
  }

  function openAsJws(text: string, keys: readonly JwsKey[]): TokenRecord | undefined {
    const envelope = readJws(text);
    if (!envelope || isAhead(envelope.claims.issuedAt) || !isSigned(envelope, keys)) return undefined;
    return recordOf(envelope.claims) ?? warn();
  }

  return {
    hasForm: (text) => (fernet !== undefined && isFernet(text)) || (jws !== undefined && isJws(text)),
    open: (text) => (fernet && isFernet(text) ? openAsFernet(text, fernet.keys()) : jws && openAsJws(text, jws.keys())),
    keysFor: (text) => (isFernet(text) ? fernet : jws)?.keys(),
    until: keystoneTokensUntil ?? Number.POSITIVE_INFINITY,
  };
}
