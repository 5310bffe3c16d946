// What stored rows mean to this version of the service, and to the operator who looks at them without starting it.
import { type EffectiveSetting, shownValue } from '../../../platform/config/index.ts';
import type { Reader, ServiceSettingRow } from '../database/index.ts';
import { type IdentityConfig, type ServiceSetting, type ServiceSettingName, serviceSettingsByKey } from '../settings/index.ts';
import { readSettings } from './service-settings.store.ts';

export type Values = Partial<Record<ServiceSettingName, unknown>>;

/** Opens a sealed secret. */
export type OpenSecret = (sealed: string, place: string) => string;

export const placeOf = (key: string): string => `service_settings/${key}`;

interface ReadRow {
  readonly key: string;
  /** Undefined if this version does not know it. */
  readonly one: ServiceSetting | undefined;
  readonly value?: unknown;
  /** Why its value is not valid here. Another version may have stored it. */
  readonly error?: unknown;
}

export function readRow({ id: key, value, sealed }: ServiceSettingRow, open: OpenSecret): ReadRow {
  const one = serviceSettingsByKey.get(key);
  if (!one) return { key, one };
  try {
    return { key, one, value: one.setting.read(sealed === null ? (value ?? '') : open(sealed, placeOf(key))) };
  } catch (error) {
    return { key, one, error };
  }
}

/** A stored setting as an operator sees it. */
export interface StoredSetting {
  readonly key: string;
  /** Secrets are masked. Null if it is empty or has no effect. */
  readonly value: string | null;
  /** Why it has no effect in this version. */
  readonly trouble: 'unknown' | 'invalid' | undefined;
  /** What overrides it. */
  readonly fixedBy: 'environment' | 'file' | undefined;
}

export interface StoredReport {
  readonly stored: readonly StoredSetting[];
  /** What a service that starts now has in force. */
  readonly config: IdentityConfig;
}

export interface Operated {
  /** From the environment, the file, or the default. */
  readonly config: IdentityConfig;
  readonly settings: readonly EffectiveSetting[];
  readonly open: OpenSecret;
}

/** Reads what is stored, without a service. */
export async function inspectStored(reader: Reader, { config, settings, open }: Operated): Promise<StoredReport> {
  const sources = new Map(settings.map(({ key, source }) => [key, source]));
  const values: Values = {};
  const stored = (await readSettings(reader)).map((row): StoredSetting => {
    const { key, one, value, error } = readRow(row, open);
    const source = sources.get(key);
    const fixedBy = source === 'environment' || source === 'file' ? source : undefined;
    const trouble = !one ? 'unknown' : error !== undefined ? 'invalid' : undefined;
    if (one && !trouble && !fixedBy) values[one.name] = value;
    return { key, value: one && !trouble ? shownValue(one.setting, value) : null, trouble, fixedBy };
  });
  return { stored, config: { ...config, ...values } as IdentityConfig };
}
