// Loads settings. The environment overrides the file, the file overrides the default.
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { nearestMatch } from './nearest.ts';
import type { Setting, SettingInput, Settings, Values } from './settings.ts';

const PREFIX = 'GATEHOUSE_';
const FILE_KEY = `${PREFIX}CONFIG_FILE`;

export class ConfigError extends Error {}

export type Environment = Readonly<Record<string, string | undefined>>;

function readFileOr(key: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(
      `${key}: cannot read ${path} (${(error as NodeJS.ErrnoException).code}); give the path of a readable file`,
    );
  }
}

/** KEY=value as a shell would read it. Quotes are optional and must be closed on the same line. */
const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)$/;

/** A line that cannot be read must not silently mean the default. The error names only its number, because its text may be a secret. */
function checkLines(path: string, text: string): void {
  const lines = new Map<string, number>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const number = index + 1;
    const refuse = (why: string): never => {
      throw new ConfigError(`${FILE_KEY}: line ${number} of ${path} ${why}`);
    };
    if (/^\s*(#|$)/.test(line)) continue;
    const [, key, value] = ASSIGNMENT.exec(line) ?? refuse('is not of the form KEY=value; comments begin with #');
    const quote = /^["'`]/.exec(value!)?.[0];
    if (quote && !value!.includes(quote, 1)) refuse(`opens a quote (${quote}) that is not closed on the line`);
    const former = lines.get(key!);
    if (former !== undefined) refuse(`sets ${key} again, which line ${former} has set; keep one`);
    lines.set(key!, number);
  }
}

function readSettingsFile(path: string): NodeJS.Dict<string> {
  const text = readFileOr(FILE_KEY, path).replace(/^\uFEFF/, '');
  checkLines(path, text);
  return parseEnv(text);
}

/** The raw values: from the file named by GATEHOUSE_CONFIG_FILE (KEY=value lines), overridden by the environment. */
function rawValues(env: Environment): Record<string, string> {
  const path = env[FILE_KEY];
  const entries = Object.entries({ ...(path ? readSettingsFile(path) : {}), ...env });
  const values: Record<string, string> = {};
  for (const [key, value] of entries) {
    if (key.startsWith(PREFIX) && key !== FILE_KEY && value !== undefined) values[key] = value;
  }
  return values;
}

function knownKeys(settings: Settings[]): Set<string> {
  const keys = new Set<string>();
  for (const setting of settings.flatMap((group) => Object.values(group))) {
    keys.add(setting.key);
    if (setting.secret) keys.add(`${setting.key}_FILE`);
  }
  return keys;
}

/** A misspelled key must not silently mean the default. The error suggests the nearest key. */
export function refuseUnknownKeys(env: Environment, ...settings: Settings[]): void {
  const known = knownKeys(settings);
  for (const key of Object.keys(rawValues(env))) {
    if (!known.has(key)) throw new ConfigError(`${key} is not a setting; did you mean ${nearestMatch(key, [...known])}?`);
  }
}

/** A setting as it is in force. */
export interface EffectiveSetting {
  readonly key: string;
  /** Null when it is not set. */
  readonly value: string | null;
  readonly source: 'environment' | 'file' | 'default';
  readonly input: SettingInput;
  readonly unit: string;
  readonly about: string;
}

const MASK = '********';

/** An address may contain a user and a password, which may have any letters: up to the last @ nothing is shown. */
const withoutPasswords = (text: string): string => text.replace(/\/\/[^\s,]*@/g, `//${MASK}@`);

/** A value as administrators see it. */
export function shownValue(setting: Setting<unknown>, value: unknown): string | null {
  if (value === undefined || value === '') return null;
  if (setting.secret) return MASK;
  return withoutPasswords(setting.write(value));
}

/** Every setting with where it comes from. Secrets are masked. */
export function effectiveSettings(env: Environment, ...groups: Settings[]): EffectiveSetting[] {
  const values = rawValues(env);
  const isIn = (names: readonly string[]): boolean => names.some((name) => env[name] !== undefined);
  return groups
    .flatMap((settings) => Object.values(settings))
    .map((setting) => {
      const { key, unit, about, input } = setting;
      const names = setting.secret ? [key, `${key}_FILE`] : [key];
      const source = isIn(names) ? 'environment' : names.some((name) => values[name] !== undefined) ? 'file' : 'default';
      return { key, value: shownValue(setting, readSetting(setting, values)), source, unit, about, input };
    });
}

function readSetting(setting: Setting<unknown>, values: Record<string, string>): unknown {
  const fileKey = `${setting.key}_FILE`;
  const path = setting.secret ? values[fileKey] : undefined;
  if (path && values[setting.key] !== undefined) {
    throw new ConfigError(`${setting.key} and ${fileKey} are both set; keep one`);
  }
  const text = path ? readFileOr(fileKey, path).trim() : values[setting.key];
  if (text === undefined) return setting.fallback;
  try {
    return setting.read(text);
  } catch (error) {
    throw new ConfigError(`${setting.key} ${(error as Error).message}`);
  }
}

export function load<S extends Settings>(settings: S, env: Environment): Values<S> {
  const values = rawValues(env);
  return Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, readSetting(setting, values)])) as Values<S>;
}

/** For `gatehouse config`: every key with its current value. Secrets are masked. */
export function describeSettings(settings: Settings, values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(settings).map(([name, setting]) => `${setting.key}=${shownValue(setting, values[name]) ?? ''}`);
}
