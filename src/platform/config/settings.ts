// A setting: its key, how its text is parsed, its default, and one sentence. docs/config.md is generated from these.

/** What a form offers for a value. */
export type SettingInput =
  | { readonly type: 'text' | 'list' | 'address' | 'pattern' | 'secret' }
  | { readonly type: 'flag' }
  | { readonly type: 'number'; readonly min: number; readonly max: number }
  | { readonly type: 'choice'; readonly choices: readonly string[] };

export interface Setting<T> {
  readonly key: string;
  readonly input: SettingInput;
  readonly about: string;
  readonly unit: string;
  readonly secret: boolean;
  readonly fallback: T;
  /** Throws an Error whose message completes the sentence "KEY ...". */
  read(text: string): T;
  /** The text of a value, as a person would write it: what `read` reads. */
  write(value: T): string;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;
export type Values<S extends Settings> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };

function plainText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return value instanceof RegExp ? value.source : String(value ?? '');
}

function setting<T>(
  key: string,
  fallback: T,
  unit: string,
  about: string,
  read: (text: string) => T,
  secret = false,
  write: (value: T) => string = plainText,
): Setting<T> {
  return { key, fallback, unit, about, read, secret, write, input: { type: secret ? 'secret' : 'text' } };
}

const withInput = <T>(one: Setting<T>, input: SettingInput): Setting<T> => ({ ...one, input });

export const text = (key: string, fallback: string, about: string) =>
  setting<string>(key, fallback, 'text', about, (value) => value);

export const optionalText = (key: string, about: string) =>
  setting<string | undefined>(key, undefined, 'text', about, (value) => value || undefined);

/** Also accepted as KEY_FILE, the path of a file with the value. Masked wherever settings are shown. */
export const secret = (key: string, about: string) =>
  setting<string | undefined>(key, undefined, 'secret', about, (value) => value || undefined, true);

export const flag = (key: string, fallback: boolean, about: string) =>
  withInput(
    setting<boolean>(key, fallback, 'on or off', about, (value) => {
      if (/^(on|true|1|yes)$/i.test(value)) return true;
      if (/^(off|false|0|no)$/i.test(value)) return false;
      throw new Error(`must be on or off, not "${value}"`);
    }),
    { type: 'flag' },
  );

interface Range {
  readonly min: number;
  readonly max: number;
  readonly unit: string;
}

function wholeNumber(value: string, { min, max, unit }: Range): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < min || number > max) {
    throw new Error(`must be a whole number from ${min} to ${max} (${unit}), not "${value}"`);
  }
  return number;
}

const inputOf = ({ min, max }: Range): SettingInput => ({ type: 'number', min, max });

export const number = (key: string, fallback: number, range: Range, about: string) =>
  withInput(
    setting<number>(key, fallback, range.unit, about, (value) => wholeNumber(value, range)),
    inputOf(range),
  );

export const optionalNumber = (key: string, range: Range, about: string) =>
  withInput(
    setting<number | undefined>(key, undefined, range.unit, about, (value) =>
      value === '' ? undefined : wholeNumber(value, range),
    ),
    inputOf(range),
  );

export const choice = <const C extends string>(key: string, fallback: C, choices: readonly C[], about: string) =>
  withInput(
    setting<C>(key, fallback, choices.join(', '), about, (value) => {
      const found = choices.find((one) => one === value);
      if (found === undefined) throw new Error(`must be one of ${choices.join(', ')}, not "${value}"`);
      return found;
    }),
    { type: 'choice', choices },
  );

export const list = (key: string, about: string) =>
  withInput(
    setting<readonly string[]>(key, [], 'comma-separated list', about, (value) =>
      value
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean),
    ),
    { type: 'list' },
  );

/** An absolute http(s) URL. A trailing slash is removed so that paths can be appended. */
export const address = (key: string, about: string) =>
  withInput(
    setting<string | undefined>(key, undefined, 'http(s) URL', about, (value) => {
      if (value === '') return undefined;
      if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
        throw new Error(`must be an absolute http or https address, not "${value}"`);
      }
      return value.replace(/\/+$/, '');
    }),
    { type: 'address' },
  );

export const databaseUrl = (key: string, about: string) =>
  setting<string | undefined>(
    key,
    undefined,
    'postgres:// URL',
    about,
    (value) => {
      if (value === '') return undefined;
      if (!/^postgres(ql)?:\/\//.test(value)) throw new Error('must be a postgres:// address');
      return value;
    },
    true,
  );

export const pattern = (key: string, about: string) =>
  withInput(
    setting<RegExp | undefined>(key, undefined, 'regular expression', about, (value) => {
      if (value === '') return undefined;
      try {
        return new RegExp(value, 'u');
      } catch {
        throw new Error('must be a regular expression');
      }
    }),
    { type: 'pattern' },
  );

/** In milliseconds. A day begins at midnight, UTC. */
export const optionalTime = (key: string, about: string) =>
  setting<number | undefined>(
    key,
    undefined,
    'date, UTC',
    about,
    (value) => {
      if (value === '') return undefined;
      const time = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{3})?Z)?$/.test(value) ? Date.parse(value) : Number.NaN;
      if (Number.isNaN(time)) throw new Error(`must be as in 2027-03-01 or 2027-03-01T18:00:00Z, not "${value}"`);
      return time;
    },
    false,
    (value) => (value === undefined ? '' : new Date(value).toISOString()),
  );

/** A time of the day, in minutes after midnight. */
export const timeOfDay = (key: string, fallback: number, about: string) =>
  setting<number>(
    key,
    fallback,
    'hh:mm, UTC',
    about,
    (value) => {
      const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(value) ?? [];
      if (!hours || !minutes || Number(hours) > 23 || Number(minutes) > 59)
        throw new Error(`must be as in 02:00, not "${value}"`);
      return Number(hours) * 60 + Number(minutes);
    },
    false,
    (value) => [Math.floor(value / 60), value % 60].map((part) => String(part).padStart(2, '0')).join(':'),
  );

/** For settings that none of the functions above fits. */
export const custom = setting;
