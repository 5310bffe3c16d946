// The settings that are stored in the service. All of them are one thing, so that those that need each other change together.
import { serviceSettingsByKey } from '../../identity/ground/settings/index.ts';
import { shownValue } from '../../platform/config/index.ts';
import type { Body } from '../client.ts';
import type { FixedField, SecretRef } from '../model.ts';
import type { Secrets } from '../secrets.ts';
import { SetupError, shown } from '../text.ts';
import type { Entry, Field, KindDefinition } from './kind.ts';
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

const PATH = '/v3/OS-SERVICE/settings';

/** As the API lists it. */
interface Listed {
  readonly key: string;
  readonly value: string | null;
  readonly source: string;
  readonly group?: string | null;
}

type Said = Readonly<Record<string, SaidValue>>;

const listedIn = (body: Body): readonly Listed[] => body as unknown as readonly Listed[];
const settingOf = (key: string) => serviceSettingsByKey.get(key)!.setting;

const fields: Readonly<Record<string, Field>> = Object.fromEntries(
  [...serviceSettingsByKey].map(([key, one]) => [
    key,
    {
      schema: schemaOf(one),
      read(body) {
        const found = listedIn(body).find((listed) => listed.key === key);
        // A secret that was stored empty is none.
        const isStored = found?.source === 'service' && !(one.setting.secret && found.value === null);
        return isStored ? valueOfShown(one.setting, found.value) : undefined;
      },
      stored: (said: SaidValue) => comparedValue(one.setting, said),
    },
  ]),
);

const WHERE: Readonly<Record<string, string>> = {
  environment: 'the operator has fixed it in the environment of the service',
  file: 'the operator has fixed it in the file of settings of the service',
};

const UNSAYABLE = 'it has a password in it, which a set-up file cannot have';
const isUnsayable = ({ key, value, source }: Listed): boolean =>
  source === 'service' && !mayBeSecret(settingOf(key)) && valueOfShown(settingOf(key), value) === SECRET;

/** What the service does not let anybody store, or does not know. */
function fixedIn(all: readonly Listed[]): Record<string, FixedField> {
  const byKey = new Map(all.map((listed) => [listed.key, listed]));
  const fixed: Record<string, FixedField> = {};
  for (const [key, { setting }] of serviceSettingsByKey) {
    const listed = byKey.get(key);
    const why = listed && (WHERE[listed.source] ?? (listed.group ? undefined : 'it is read only when the service starts'));
    if (!listed) fixed[key] = { value: undefined, why: 'the service, which is of another version, does not know it' };
    else if (isUnsayable(listed)) fixed[key] = { value: undefined, why: UNSAYABLE };
    else if (why) fixed[key] = { value: listed.value === null ? '' : valueOfShown(setting, listed.value), why };
  }
  return fixed;
}

function secretText(key: string, reference: SecretRef, reader: Secrets): string {
  const setting = settingOf(key);
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

export const settings: KindDefinition = {
  label: () => 'settings of the service',
  about:
    'What administrators can change while the service runs, by keys. null: the default. What the operator has set in the environment stays.',
  fields,
  keyOf(entry: Said, _above, { refuse }) {
    for (const [key, said] of Object.entries(entry)) {
      const why = refusalOf(settingOf(key), said);
      if (why !== undefined) refuse(shown(why, false), key);
    }
    return [];
  },
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
  async read(state) {
    const all = await state.list(PATH);
    const body = all as unknown as Body;
    state.add('settings', [], body, {
      url: PATH,
      fixed: fixedIn(listedIn(body)),
      leftOut: listedIn(body)
        .filter(({ source }) => source === 'service')
        .flatMap((one) => {
          if (!serviceSettingsByKey.has(one.key)) return `setting ${one.key}: this version does not know it`;
          return isUnsayable(one) ? `setting ${one.key}: ${UNSAYABLE}` : [];
        }),
    });
  },
  sent: (values, { secrets = {} }, reader) =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => {
        const reference = secrets[key];
        if (value === null) return [key, null];
        return [key, reference ? secretText(key, reference, reader) : textOfValue(value)];
      }),
    ),
  prunesFields: true,
  absent: 'default',
  rule: () => 'identity:update_service_settings',
};
