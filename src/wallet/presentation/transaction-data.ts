// Transaction data that a presentation confirms. Types that the operator did not allow are refused, because the wallet must
// understand what it signs (OID4VP, 5.1).
import { createHash } from 'node:crypto';
import { isUnsafeJson } from '../../verifiable/jose/index.ts';
import { fail } from '../ground/faults.ts';

const HASHES: Readonly<Record<string, string>> = { 'sha-256': 'sha256', 'sha-384': 'sha384', 'sha-512': 'sha512' };
const MAX_ENTRIES = 10;
const MAX_LENGTH = 32_768;

interface TransactionDataEntry {
  readonly encoded: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly credentialIds: readonly string[];
  readonly algorithm: string;
}

export interface TransactionData {
  /** The decoded entries, for display. */
  readonly shown: readonly unknown[];
  /** What each presentation confirms, by query id. `able`: the queries whose presentations can confirm transaction data. */
  confirmedBy(able: readonly string[]): ReadonlyMap<string, Confirmation>;
}

export interface Confirmation {
  readonly hashes: readonly string[];
  readonly algorithm: string;
}

const unsupported = (why: string): never => fail('unsupported-transaction-data', { why });

function entryOf(encoded: unknown, allowed: readonly string[]): TransactionDataEntry {
  if (typeof encoded !== 'string' || encoded.length > MAX_LENGTH || !/^[\w-]+$/.test(encoded))
    return unsupported('an entry cannot be read');
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8')) as Record<string, unknown>;
  } catch {
    return unsupported('an entry cannot be read');
  }
  // Data that cannot be displayed must not be confirmed.
  if (isUnsafeJson(value)) unsupported('an entry cannot be read');
  if (typeof value?.type !== 'string' || !allowed.includes(value.type)) unsupported('its type is not one that is allowed here');
  const ids = value.credential_ids;
  if (!Array.isArray(ids) || ids.length === 0 || ids.some((id) => typeof id !== 'string')) unsupported('it names no credential');
  const offered = value.transaction_data_hashes_alg === undefined ? ['sha-256'] : [value.transaction_data_hashes_alg].flat();
  const algorithm = offered.find((one): one is string => typeof one === 'string' && Object.hasOwn(HASHES, one));
  return {
    encoded,
    value,
    credentialIds: ids as string[],
    algorithm: algorithm ?? unsupported('its hash is not one that is supported'),
  };
}

export function readTransactionData(
  payload: Readonly<Record<string, unknown>>,
  allowed: readonly string[],
  queries: readonly string[],
): TransactionData | undefined {
  const { transaction_data: list } = payload;
  if (list === undefined) return undefined;
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_ENTRIES) return unsupported('it is not a list');
  const entries = list.map((one) => entryOf(one, allowed));
  if (entries.some(({ credentialIds }) => credentialIds.some((id) => !queries.includes(id))))
    unsupported('it names a credential that is not asked for');
  return {
    shown: entries.map(({ value }) => value),
    confirmedBy(able) {
      const confirmed = new Map<string, { hashes: string[]; algorithm: string }>();
      for (const { encoded, credentialIds, algorithm } of entries) {
        // Exactly one of the named credentials confirms it (OID4VP, 8.4).
        const id = credentialIds.find((one) => able.includes(one)) ?? unsupported('nothing that is shown can confirm it');
        const own = confirmed.get(id) ?? { hashes: [], algorithm };
        if (own.algorithm !== algorithm) unsupported('its entries want different hashes');
        // The hash is over the received text (OID4VP, B.3.3.1).
        own.hashes.push(createHash(HASHES[algorithm]!).update(encoded).digest('base64url'));
        confirmed.set(id, own);
      }
      return confirmed;
    },
  };
}
