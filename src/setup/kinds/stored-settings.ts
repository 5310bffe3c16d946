// Settings that are stored while the service runs, of itself or of a domain. They are one thing, so that those that need each other change together.
import { type Setting, shownValue } from '../../platform/config/index.ts';
import type { Body } from '../client.ts';
import type { FixedField, SecretRef } from '../model.ts';
import type { Secrets } from '../secrets.ts';
import { SetupError, shown } from '../text.ts';
import type { Entry, Field, KindDefinition, Naming } from './kind.ts';
import {
  comparedValue,
  isReference,
  mayBeSecret,
  refusalOf,
  type SaidValue,
  schemaOf,
  textOfValue,
  valueOfShown,
} from './setting-values.ts';
import { SECRET } from './shared.ts';

/** Those of the service. */
export const SETTINGS_PATH = '/v3/OS-SERVICE/settings';

/** As the API lists it. */
export interface Listed {
  readonly key: string;
  readonly value: string | null;
  readonly source: string;
  readonly group?: string | null;
  readonly fixed?: string | null;
}

export interface SettingsPlace {
  /** By keys. */
  readonly settings: ReadonlyMap<string, Setting<unknown>>;
  /** What the API calls the source of those that are stored here. */
  readonly source: string;
  /** The service asks for this password again with what says who gets it. */
  readonly led: { readonly password: string; readonly by: ReadonlySet<string> };
  /** Why nobody can store it. */
  whyFixed(listed: Listed): string | undefined;
  /** Why the service does not list one of them. */
  readonly whyMissing: string;
}

type Said = Readonly<Record<string, SaidValue>>;

const listedIn = (body: Body): readonly Listed[] => body as unknown as readonly Listed[];
const UNSAYABLE = 'it has a password in it, which a set-up file cannot have';

function secretText(setting: Setting<unknown>, key: string, reference: SecretRef, reader: Secrets): string {
  let text: string;
  try {
    text = reader.read(reference);
  } catch (error) {
    throw error instanceof SetupError ? new SetupError(`${key}: ${error.message}`) : error;
  }
  let shownText: string | null;
  try {
    shownText = shownValue(setting, setting.read(text));
  } catch {
    // Its words could have the secret in them.
    throw new SetupError(`${key}: what the file or the variable has is not valid`);
  }
  if (valueOfShown(setting, shownText) !== SECRET)
    throw new SetupError(`${key}: what the file or the variable has is no secret: write it into the set-up file`);
  return text;
}

export function storedSettings({ settings, source, led, whyFixed, whyMissing }: SettingsPlace) {
  const settingOf = (key: string) => settings.get(key)!;
  const fields: Readonly<Record<string, Field>> = Object.fromEntries(
    [...settings].map(([key, setting]) => [
      key,
      {
        schema: schemaOf(setting),
        read(body) {
          const found = listedIn(body).find((listed) => listed.key === key);
          // A secret that was stored empty is none.
          const isStored = found?.source === source && !(setting.secret && found.value === null);
          return isStored ? valueOfShown(setting, found.value) : undefined;
        },
        stored: (said: SaidValue) => comparedValue(setting, said),
      },
    ]),
  );
  const isUnsayable = ({ key, value, source: from }: Listed): boolean =>
    from === source && !mayBeSecret(settingOf(key)) && valueOfShown(settingOf(key), value) === SECRET;

  /** What the service does not let anybody store, or does not know. */
  function fixedIn(all: readonly Listed[]): Record<string, FixedField> {
    const byKey = new Map(all.map((listed) => [listed.key, listed]));
    const fixed: Record<string, FixedField> = {};
    for (const [key, setting] of settings) {
      const listed = byKey.get(key);
      const why = listed && whyFixed(listed);
      if (!listed) fixed[key] = { value: undefined, why: whyMissing };
      else if (isUnsayable(listed)) fixed[key] = { value: undefined, why: UNSAYABLE };
      else if (why) fixed[key] = { value: listed.value === null ? '' : valueOfShown(setting, listed.value), why };
    }
    return fixed;
  }

  return {
    /** What a plan and an export know beside the values. `place`: what is before a key in messages. */
    about: (body: Body, place = '') => ({
      fixed: fixedIn(listedIn(body)),
      leftOut: listedIn(body)
        .filter((one) => one.source === source)
        .flatMap((one) => {
          if (!settings.has(one.key)) return `setting ${place}${one.key}: this version does not know it`;
          return isUnsayable(one) ? `setting ${place}${one.key}: ${UNSAYABLE}` : [];
        }),
    }),

    check(entry: Said, { refuse }: Naming): void {
      for (const [key, said] of Object.entries(entry)) {
        const why = refusalOf(settingOf(key), said);
        if (why !== undefined) refuse(shown(why, false), key);
      }
    },

    definition: {
      fields,
      envelope: 'settings',
      secretOf: (entry: Said) => ({
        secrets: Object.fromEntries(Object.entries(entry).filter((one): one is [string, SecretRef] => isReference(one[1]))),
      }),
      entryOf: () => ({}),
      exported(entry: Entry, _found, fileFor) {
        const written = Object.entries(entry)
          .filter(([key, value]) => value !== SECRET || mayBeSecret(settingOf(key)))
          .map(([key, value]) => [key, value === SECRET ? fileFor('secret', key) : value]);
        return written.length === 0 ? undefined : Object.fromEntries(written);
      },
      sent(values, { secrets = {} }, reader) {
        const isLed = secrets[led.password] && Object.keys(values).some((key) => led.by.has(key));
        const all = isLed ? { ...values, [led.password]: SECRET } : values;
        return Object.fromEntries(
          Object.entries(all).map(([key, value]) => {
            const reference = secrets[key];
            if (value === null) return [key, null];
            return [key, reference ? secretText(settingOf(key), key, reference, reader) : textOfValue(value)];
          }),
        );
      },
      prunesFields: true,
      absent: 'default',
    } satisfies Partial<KindDefinition>,
  };
}
