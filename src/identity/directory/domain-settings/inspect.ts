// What is stored for domains, for commands that look without a service, and the way back.
import { ConfigError, type EffectiveSetting } from '../../../platform/config/index.ts';
import type { Actor, RunChange } from '../../ground/audit/index.ts';
import type { Reader } from '../../ground/database/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import { readDomainFiles } from './files.ts';
import { fixedIn, inForce, type ServiceLayer } from './in-force.ts';
import { type DomainOption, isAsStrict, isCapped, optionName, optionsByName } from './options.ts';
import { TAG } from './store.rules.ts';
import { deleteRow, findDomains, readRows, type StoredRow } from './stored.store.ts';
import { readStored } from './stored.ts';

/** Names of domains may have a slash, those of settings have none. */
const keyOf = (domain: string, { group, option }: StoredRow): string => `${domain}/${optionName(group, option)}`;

async function byDomain(reader: Reader) {
  const rows = Map.groupBy(await readRows(reader), ({ domainId }) => domainId);
  const domains = rows.size === 0 ? [] : await findDomains(reader, [...rows.keys()], []);
  return domains.filter(({ id }) => rows.has(id)).map((domain) => ({ domain, rows: rows.get(domain.id)! }));
}

const isLonger = (one: DomainOption, value: unknown, config: IdentityConfig): boolean =>
  isCapped(one) && one.ofService !== undefined && !isAsStrict(one, value, config[one.ofService]);

/** As `DOMAIN/group.option`. */
export const storedDomainKeys = async (reader: Reader): Promise<string[]> =>
  (await byDomain(reader)).flatMap(({ domain, rows }) => rows.map((row) => keyOf(domain.name, row)));

/** False if it is not stored. */
export async function forgetDomainSetting(reader: Reader, change: RunChange, actor: Actor, key: string): Promise<boolean> {
  const found = (await byDomain(reader)).flatMap(({ domain, rows }) => rows.filter((row) => keyOf(domain.name, row) === key))[0];
  if (!found) return false;
  const { domainId: id, group, option } = found;
  await change(actor, async ({ tx, audit, invalidate }) => {
    await deleteRow(tx, id, group, option);
    audit('domain.config_deleted', { kind: 'domain', id }, { changes: { [optionName(group, option)]: 'forgotten' } });
    invalidate(TAG);
  });
  return true;
}

export interface StoredDomainReport {
  readonly count: number;
  /** Stored, with why it has no effect. */
  readonly idle: readonly string[];
  /** Of a domain: why what is stored does not fit together. */
  readonly broken: readonly string[];
}

/** Reads what is stored for domains, without a service. `config`: with what is stored for the service. */
export async function inspectDomains(
  reader: Reader,
  config: IdentityConfig,
  settings: readonly EffectiveSetting[],
  open: (sealed: string, place: string) => string,
): Promise<StoredDomainReport> {
  const service: ServiceLayer = {
    config,
    sourceOf: (key) => settings.find((one) => one.key === key)?.source ?? 'default',
  };
  const files = config.domainConfigDir === undefined ? new Map() : readDomainFiles(config.domainConfigDir, config);
  const idle: string[] = [];
  const broken: string[] = [];
  let count = 0;
  const seal = { open: (sealed: string, place: string) => Buffer.from(open(sealed, place)) };
  for (const { domain, rows } of await byDomain(reader)) {
    count += rows.length;
    const file = files.get(domain.name);
    const { options } = readStored(rows, seal, { error: () => {} });
    for (const row of rows) {
      const one = optionsByName.get(optionName(row.group, row.option));
      const fixed = one && fixedIn(one, file, service);
      const why = !one
        ? 'this version does not know it'
        : row.by === null
          ? 'an earlier version stored it; store it again'
          : !options.has(one.name)
            ? 'it is not valid here'
            : (fixed?.why ?? (isLonger(one, options.get(one.name)!.value, config) ? 'the service has a shorter one' : undefined));
      if (why !== undefined) idle.push(`${keyOf(domain.name, row)} (${why})`);
    }
    try {
      inForce({ file, service, stored: options });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      broken.push(`${domain.name}: ${error.message}`);
    }
  }
  return { count, idle, broken };
}
