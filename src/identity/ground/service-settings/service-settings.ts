// The settings of the service as they are in force. What the environment or the file says is fixed; under it lies what administrators
// have stored, then the default. Every process follows what is stored, so whoever needs a setting reads it from `config` each time.
import { createHash } from 'node:crypto';
import { type Clock, seconds } from '../../../platform/clock.ts';
import { ConfigError, type EffectiveSetting, shownValue } from '../../../platform/config/index.ts';
import { takeAdvisoryLock } from '../../../platform/database/index.ts';
import { newId } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log/index.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import type { Actor, RunChange } from '../audit/index.ts';
import type { Database, Reader, ServiceSettingRow } from '../database/index.ts';
import { fail } from '../faults.ts';
import { type IdentityConfig, identitySettings, type ServiceSetting, serviceSettingsByKey } from '../settings/index.ts';
import { placeOf, readRow, type Values } from './rows.ts';
import { deleteSetting, readSettings, writeSetting } from './service-settings.store.ts';
import { checkSecretsStay, checkTogether } from './together.ts';

const TAG = 'service-settings';

/** What is stored, as it was read last. */
interface Stored {
  readonly values: Values;
  /** Changes with each change of it. */
  readonly version: string;
}

export interface ServiceSettingsDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly seal: Seal;
  readonly dataDir: string;
  /** From the environment, the file, or the default. */
  readonly config: IdentityConfig;
  /** Where each of these comes from. */
  readonly settings?: readonly EffectiveSetting[] | undefined;
}

/** A setting as an administrator sees it. */
export interface ShownSetting extends Omit<EffectiveSetting, 'source'> {
  readonly source: EffectiveSetting['source'] | 'service';
  /** Null: it belongs to the machine. */
  readonly group: string | null;
  readonly default: string | null;
}

/** New texts by key; null goes back to the default. */
export type SettingChanges = Readonly<Record<string, string | null>>;

const versionOf = (rows: readonly ServiceSettingRow[]): string =>
  createHash('sha256')
    .update(rows.map(({ id, version }) => `${id} ${version}\n`).join(''))
    .digest('base64url')
    .slice(0, 22);

/** The same settings, of which those that can be stored are read anew each time. */
function followed(base: IdentityConfig, current: () => Values): IdentityConfig {
  const config = { ...base };
  for (const { name } of serviceSettingsByKey.values())
    Object.defineProperty(config, name, {
      enumerable: true,
      get: () => {
        const values = current();
        return Object.hasOwn(values, name) ? values[name] : base[name];
      },
    });
  return config;
}

const always =
  (values: Values): (() => Values) =>
  () =>
    values;

/** The keys of what is stored, also where it has no effect. */
export const storedKeys = async (reader: Reader): Promise<string[]> => (await readSettings(reader)).map(({ id }) => id);

/** The way back from a setting with which nobody can sign in, or the service does not start. */
export const forgetSetting = (change: RunChange, actor: Actor, key: string): Promise<void> =>
  change(actor, async ({ tx, audit, invalidate }) => {
    await deleteSetting(tx, key);
    audit('settings.changed', { kind: 'settings', id: 'service' }, { changes: { [key]: 'forgotten' } });
    invalidate(TAG);
  });

export function createServiceSettings(deps: ServiceSettingsDeps) {
  const { db, clock, log, seal, config: base, dataDir, settings = [] } = deps;
  /** What the operator has fixed. */
  const fixed = new Set(settings.filter(({ source }) => source !== 'default').map(({ key }) => key));

  const open = (sealed: string, place: string): string => seal.open(sealed, place).toString();

  /** A row that another version of the service wrote may not be valid here. It must not keep the service from starting. */
  function valuesOf(rows: readonly ServiceSettingRow[]): Values {
    const values: Values = {};
    for (const row of rows) {
      if (fixed.has(row.id)) continue;
      const { one, value, error } = readRow(row, open);
      if (error !== undefined) log.error({ setting: row.id, err: error }, 'a stored setting is not valid; it has no effect');
      else if (one) values[one.name] = value;
    }
    return values;
  }

  const read = async (reader: Reader): Promise<Stored> => {
    const rows = await readSettings(reader);
    return { values: valuesOf(rows), version: versionOf(rows) };
  };
  const stored = db.followed<Stored>({
    tag: TAG,
    initial: { values: {}, version: versionOf([]) },
    read: () => read(db.read),
  });
  const config = followed(base, () => stored.value.values);

  /** The setting with this key, which may be stored. */
  function storable(key: string): ServiceSetting {
    const one = serviceSettingsByKey.get(key);
    if (!one)
      return fail(
        Object.values(identitySettings).some((setting) => setting.key === key) ? 'setting.of_machine' : 'setting.unknown',
        { key },
      );
    if (fixed.has(key)) fail('setting.fixed', { key });
    return one;
  }

  function parsed({ setting }: ServiceSetting, text: string): unknown {
    try {
      return setting.read(text);
    } catch (error) {
      return fail('setting.invalid', { why: `${setting.key} ${(error as Error).message}` });
    }
  }

  /** Fails with the sentence with which a start would refuse these settings. */
  async function checkAll(next: IdentityConfig, check: () => Promise<void>): Promise<void> {
    try {
      checkTogether(next, dataDir);
      await check();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      fail('setting.invalid', { why: error.message });
    }
  }

  const shown = ({ setting }: ServiceSetting, value: unknown): string | null => shownValue(setting, value);

  return {
    /** Each setting as it is now. Do not keep the values. */
    config,
    /** Names the state of what is stored, for ETags. */
    version: (): string => stored.value.version,

    /** Where the value of a setting of the service comes from. */
    sourceOf(key: string): ShownSetting['source'] {
      const one = serviceSettingsByKey.get(key);
      const isStored = one !== undefined && Object.hasOwn(stored.value.values, one.name);
      return isStored ? 'service' : (settings.find((setting) => setting.key === key)?.source ?? 'default');
    },

    /** All settings of the service, and those of the machine. */
    list: (): ShownSetting[] =>
      settings.map((one) => {
        const service = serviceSettingsByKey.get(one.key);
        if (!service) return { ...one, group: null, default: null };
        const isStored = Object.hasOwn(stored.value.values, service.name);
        return {
          ...one,
          group: service.group,
          default: shown(service, service.setting.fallback),
          ...(isStored ? { source: 'service' as const, value: shown(service, config[service.name]) } : {}),
        };
      }),

    /**
     * Stores all of it or nothing. `isExpected` is asked for the version in the transaction; `check` gets the settings as they will be, and may
     * refuse them.
     */
    async store(
      change: RunChange,
      actor: Actor,
      changes: SettingChanges,
      isExpected: (version: string) => boolean,
      check: (next: IdentityConfig, reader: Reader) => Promise<void>,
    ): Promise<void> {
      const wanted = Object.entries(changes).map(([key, text]) => ({ key, text, one: storable(key) }));
      for (const { one, text } of wanted) if (text !== null) parsed(one, text);
      await change(actor, async ({ tx, audit, invalidate }) => {
        await takeAdvisoryLock(db, tx, TAG);
        const before = await read(tx);
        if (!isExpected(before.version)) fail('resource.changed', { kind: 'settings', id: 'of the service' });
        const after: Values = { ...before.values };
        for (const { one, text } of wanted) {
          if (text === null) delete after[one.name];
          else after[one.name] = parsed(one, text);
        }
        const [former, next] = [followed(base, always(before.values)), followed(base, always(after))];
        await checkAll(next, async () => {
          checkSecretsStay(former, next, changes);
          await check(next, tx);
        });
        const now = seconds(clock);
        for (const { key, text, one } of wanted) {
          if (text === null) await deleteSetting(tx, key);
          else {
            const isSecret = one.setting.secret;
            const sealed = isSecret ? seal.seal(Buffer.from(text), placeOf(key)) : null;
            await writeSetting(tx, { id: key, value: isSecret ? null : text, sealed, version: newId(), changed_at: now });
          }
        }
        audit('settings.changed', { kind: 'settings', id: 'service' }, { changes: changesOf(wanted, before.values, after) });
        invalidate(TAG);
      });
      await stored.refresh();
    },

    start: () => stored.start(),
    stop: () => stored.stop(),
  };

  /** The old and the new value of each; of secrets only that they changed. */
  function changesOf(wanted: readonly { key: string; one: ServiceSetting }[], before: Values, after: Values) {
    return Object.fromEntries(
      wanted.map(({ key, one }) => {
        if (one.setting.secret) return [key, 'changed'];
        const at = (values: Values) => shown(one, Object.hasOwn(values, one.name) ? values[one.name] : base[one.name]);
        return [key, { from: at(before), to: at(after) }];
      }),
    );
  }
}

export type ServiceSettings = ReturnType<typeof createServiceSettings>;
