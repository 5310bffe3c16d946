// What is stored for domains, as it is read: every process has it in memory, and follows each change.
import { createHash } from 'node:crypto';
import type { Log } from '../../../platform/log/index.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import type { StoredOption } from './in-force.ts';
import { type DomainOption, OF_MACHINE, optionName, optionsByName } from './options.ts';
import type { StoredRow } from './stored.store.ts';

export const placeOf = (id: string): string => `domain_config_secrets/${id}`;

/** A value of the API, which Keystone takes as any JSON, as the text that a file would have. Undefined: not set. */
export function textOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(',');
  throw new Error('must be a text, a number, true, false, or a list of texts');
}

/** Throws an Error whose message completes the sentence "KEY ...". */
export function readValue({ name, setting }: DomainOption, value: unknown): unknown {
  if (OF_MACHINE.has(name))
    throw new Error('is a path on the machine, which only the file of the domain can have; give the certificates in tls_cacert');
  const text = textOf(value);
  const read = text === undefined ? setting.fallback : setting.read(text);
  if (name === 'ldap.url' && (read as readonly string[]).some((url) => /^ldaps?:\/\/[^/]*@/.test(url)))
    throw new Error('must have no user and no password in it; they belong into user and password');
  return read;
}

/** Names the state of what is stored for a domain, for ETags. */
export const versionOf = (rows: readonly StoredRow[]): string =>
  createHash('sha256')
    .update(JSON.stringify(rows.map(({ group, option, value, sealed, by }) => [group, option, value, sealed?.text, by])))
    .digest('base64url')
    .slice(0, 22);

/** What is stored for a domain. */
export interface StoredDomain {
  readonly version: string;
  readonly options: ReadonlyMap<string, StoredOption>;
  /** The directory of this domain cannot be what it was meant to be: what is stored of it is not valid here. */
  readonly isBroken: boolean;
}

/**
 * Reads the rows of one domain. A row that another version of the service wrote may not be valid here: it has no effect, and must not keep the
 * service from starting.
 */
export function readStored(rows: readonly StoredRow[], seal: Pick<Seal, 'open'>, log: Pick<Log, 'error'>): StoredDomain {
  const options = new Map<string, StoredOption>();
  let isBroken = false;
  for (const { domainId, group, option, value, sealed, by } of rows) {
    const one = optionsByName.get(optionName(group, option));
    if (by === null || one === undefined) continue;
    try {
      const said = sealed ? (JSON.parse(seal.open(sealed.text, placeOf(sealed.id)).toString()) as unknown) : value;
      options.set(one.name, { value: readValue(one, said), by });
    } catch (err) {
      isBroken ||= group === 'ldap' || group === 'identity';
      // Its words could have a secret in them.
      const why = sealed ? {} : { err };
      log.error({ domain: domainId, setting: one.name, ...why }, 'a stored setting of a domain is not valid; it has no effect');
    }
  }
  return { version: versionOf(rows), options, isBroken };
}
