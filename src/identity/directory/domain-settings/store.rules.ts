// Changes of what is stored for a domain. What is checked here is what is written: all of it in one transaction.
import { ConfigError } from '../../../platform/config/index.ts';
import { takeAdvisoryLock } from '../../../platform/database/index.ts';
import { newId } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log/index.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import { findProject } from '../../access/context/index.ts';
import type { Actor, Change, RunChange } from '../../ground/audit/index.ts';
import type { Database, Reader, SettingOwner } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { createNews, failOnBrokenReference } from '../../ground/resource/index.ts';
import type { DomainNamed, Fixed, StoredOption } from './in-force.ts';
import { type DomainOption, isAsStrict, isCapped, isOfDirectory, optionName, optionsByName } from './options.ts';
import type { DomainSettings } from './sections.ts';
import { deleteRow, insertOption, insertSecret, readRows, type StoredRow } from './stored.store.ts';
import { placeOf, readStored, readValue, versionOf } from './stored.ts';

export const TAG = 'domain-settings';

export interface OptionChange {
  readonly group: string;
  readonly option: string;
  /** Undefined removes it. */
  readonly value: unknown;
}

export interface StoreRequest {
  readonly by: SettingOwner;
  readonly verb: 'replaced' | 'updated' | 'deleted';
  /** What is refused is refused in the words of the API that was called. */
  readonly refusal: 'setting.invalid' | 'domain_config.invalid';
  /** What to write, from what there is; may fail. */
  changes(before: readonly StoredRow[]): readonly OptionChange[];
  /** Asked in the transaction. */
  isExpected?(version: string): boolean;
}

/** The directory of a domain was another one, and what it says now. */
export interface DirectoryChange {
  readonly was: DomainSettings;
  readonly next: DomainSettings;
}

export interface SettingsStore {
  /** All rows of a domain, also those without effect. */
  rows(domainId: string, reader?: Reader): Promise<StoredRow[]>;
  /** Stores all of it or nothing. Throws a fault with the words of a start. */
  store(actor: Actor, domain: DomainNamed, request: StoreRequest): Promise<void>;
  /** What is stored, as if these were stored, too. For trying them. Fails as storing them would. */
  asIf(domain: DomainNamed, request: StoreRequest): Promise<DomainSettings>;
  /** Throw ConfigError to refuse settings. */
  readonly checks: ((next: DomainSettings, reader: Reader) => Promise<void>)[];
  /** In the transaction of a change that connects, changes or disconnects a directory. */
  readonly directoryChanged: ReturnType<typeof createNews<[domainId: string, change: DirectoryChange]>>;
}

interface StoreDeps {
  readonly db: Database;
  readonly change: RunChange;
  readonly seal: Seal;
  readonly log: Log;
  refresh(): Promise<void>;
  fixedIn(domain: DomainNamed, option: DomainOption): Fixed | undefined;
  /** What is in force without the domain. */
  outerOf(option: DomainOption): unknown;
  /** Throws ConfigError. */
  check(domain: DomainNamed, options: ReadonlyMap<string, StoredOption>): DomainSettings;
  before(domain: DomainNamed): DomainSettings;
}

/** Whoever may write settings, and never read secrets, must not have the stored password sent to a server of their own. */
export const LEADS_THE_PASSWORD = new Set(['ldap.url', 'ldap.use_tls', 'ldap.tls_req_cert', 'ldap.tls_cacert', 'ldap.user']);
const PASSWORD = 'ldap.password';

interface Planned extends OptionChange {
  readonly one: DomainOption;
  readonly before: StoredRow | undefined;
  readonly read: unknown;
}

export function createSettingsStore(deps: StoreDeps): SettingsStore {
  const { db, change, seal, log } = deps;
  const checks: SettingsStore['checks'] = [];
  const directoryChanged = createNews<[domainId: string, change: DirectoryChange]>();

  /** What it comes to. */
  async function plan(reader: Reader, domain: DomainNamed, before: readonly StoredRow[], request: StoreRequest) {
    const { by, refusal } = request;
    const invalid = (why: string): never => fail(refusal, { why });
    const rowOf = new Map(before.map((row) => [optionName(row.group, row.option), row]));
    const planned = request.changes(before).map((one) => planOne(domain, rowOf, one, by, invalid));
    const options = new Map(readStored(before, seal, log).options);
    for (const { one, value, read } of planned) {
      if (value === undefined) options.delete(one.name);
      else options.set(one.name, { value: read, by });
    }
    requirePassword(planned, rowOf, invalid);
    try {
      const next = deps.check(domain, options);
      for (const check of checks) await check(next, reader);
      return { planned, next };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return invalid(error.message);
    }
  }

  function planOne(
    domain: DomainNamed,
    rowOf: ReadonlyMap<string, StoredRow>,
    one: OptionChange,
    by: SettingOwner,
    invalid: (why: string) => never,
  ): Planned {
    const name = optionName(one.group, one.option);
    const option = optionsByName.get(name) ?? fail('setting.unknown', { key: name });
    const before = rowOf.get(name);
    const fixed = deps.fixedIn(domain, option);
    if (by === 'manager') refuseManager(option, before);
    if (one.value === undefined) return { ...one, one: option, before, read: undefined };
    if (fixed) fail('setting.fixed_at', { key: name, why: fixed.why });
    let read: unknown;
    try {
      read = readValue(option, one.value);
    } catch (error) {
      return invalid(`[${one.group}] ${one.option} ${(error as Error).message}`);
    }
    const isStrict = isAsStrict(option, read, deps.outerOf(option));
    if (by === 'manager' && !isStrict) fail('setting.looser', { key: name });
    if (isCapped(option) && !isStrict)
      return invalid(
        `[${one.group}] ${one.option} must be ${typeof read === 'number' ? 'at most ' : ''}${String(deps.outerOf(option))}, as the service has it`,
      );
    return { ...one, one: option, before, read };
  }

  /** What was stored may not fit together any more. */
  function wasOf(domain: DomainNamed, before: readonly StoredRow[]): DomainSettings {
    try {
      return deps.check(domain, readStored(before, seal, log).options);
    } catch {
      return deps.before(domain);
    }
  }

  /** A directory decides who is who. And what an administrator said for this domain is not the manager's to change. */
  function refuseManager(option: DomainOption, before: StoredRow | undefined): void {
    if (isOfDirectory(option)) fail('setting.of_administrators', { key: option.name });
    if (before && before.by !== 'manager') fail('setting.of_administrators', { key: option.name });
  }

  function requirePassword(
    planned: readonly Planned[],
    rowOf: ReadonlyMap<string, StoredRow>,
    invalid: (why: string) => never,
  ): void {
    if (!rowOf.has(PASSWORD) || planned.some(({ one }) => one.name === PASSWORD)) return;
    const leading = planned.find(
      ({ one, value, before }) =>
        LEADS_THE_PASSWORD.has(one.name) && JSON.stringify(value ?? null) !== JSON.stringify(before?.value ?? null),
    );
    if (leading) invalid(`[ldap] ${leading.option} decides who gets the password, so the password must be entered again with it`);
  }

  async function write(tx: Change['tx'], domainId: string, by: SettingOwner, planned: readonly Planned[]): Promise<void> {
    for (const { group, option, value, one } of planned) {
      await deleteRow(tx, domainId, group, option);
      if (value === undefined) continue;
      const row = { domain_id: domainId, config_group: group, config_option: option, stored_by: by };
      if (!one.setting.secret) await insertOption(tx, { ...row, value: JSON.stringify(value) });
      else {
        const id = newId();
        await insertSecret(tx, { ...row, id, sealed: seal.seal(Buffer.from(JSON.stringify(value)), placeOf(id)) });
      }
    }
  }

  return {
    checks,
    directoryChanged,
    rows: (domainId, reader = db.read) => readRows(reader, domainId),

    asIf: async (domain, request) => (await plan(db.read, domain, await readRows(db.read, domain.id), request)).next,

    async store(actor, { id }, request) {
      const missing = (): never => fail('domain.not_found', { id });
      await failOnBrokenReference(missing, () =>
        change(actor, async (transaction) => {
          const { tx, audit, invalidate } = transaction;
          // Concurrent changes of one domain wait for each other. It may be renamed or deleted meanwhile.
          await takeAdvisoryLock(db, tx, `domain config ${id}`);
          const domain = await findProject(tx, id);
          if (domain?.is_domain !== 1) return missing();
          const before = await readRows(tx, id);
          if (request.isExpected?.(versionOf(before)) === false)
            fail('resource.changed', { kind: 'settings', id: `of the domain ${id}` });
          const was = wasOf(domain, before);
          const { planned, next } = await plan(tx, domain, before, request);
          await write(tx, id, request.by, planned);
          audit(`domain.config_${request.verb}`, { kind: 'domain', id }, { changes: changesOf(planned) });
          if (was.identity.driver === 'ldap' || next.identity.driver === 'ldap')
            await directoryChanged.tell(transaction, id, { was, next });
          invalidate(TAG);
        }),
      );
      await deps.refresh();
    },
  };
}

/** The old and the new value of each; of secrets only that they changed. */
const changesOf = (planned: readonly Planned[]) =>
  Object.fromEntries(
    planned.map(({ one, value, before }) => [
      one.name,
      one.setting.secret ? 'changed' : { from: masked(before?.value), to: masked(value) },
    ]),
  );

/** Earlier versions stored addresses with a password in them. */
const masked = (value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll(/:\/\/[^/@\s]*@/g, '://********@') : (value ?? null);
