// Values of settings: in a file as numbers, switches, lists and texts, in the API as texts.
import { identitySettings, serviceSettingsByKey } from '../../identity/ground/settings/index.ts';
import { nearMatch, type Setting, shownValue } from '../../platform/config/index.ts';
import type { Schema } from '../../platform/http/index.ts';
import { sharedSettings } from '../../settings.ts';
import { walletSettings } from '../../wallet/ground/settings.ts';
import type { Json, SecretRef } from '../model.ts';
import { SECRET, SecretReference } from './shared.ts';

/** What a file may say: `null` goes back to the default. */
export type SaidValue = null | boolean | number | string | readonly string[] | SecretRef;

export const isReference = (said: SaidValue): said is SecretRef =>
  typeof said === 'object' && said !== null && !Array.isArray(said);

/** What a file says by reference: secrets, and addresses, which may have a password in them. */
export const mayBeSecret = ({ input: { type } }: Setting<unknown>): boolean => type === 'secret' || type === 'address';

/** The text of a value, as the API takes it. */
export function textOfValue(value: Json | readonly string[]): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return Array.isArray(value) ? value.join(',') : String(value);
}

/** A text of the API, as a file says it. A service of another version may have other values. */
export function valueOfText({ input: { type } }: Setting<unknown>, text: string): Json {
  if (type === 'number' && /^\d{1,15}$/.test(text)) return Number(text);
  if (type === 'flag' && /^(on|off)$/.test(text)) return text === 'on';
  if (type === 'list') return text === '' ? [] : text.split(',');
  return text;
}

const isMasked = (text: string): boolean => text.includes('//********@');

/** The service masks passwords in addresses. What is masked is compared as a secret. */
export const valueOfShown = (setting: Setting<unknown>, shown: string | null): Json =>
  setting.secret || isMasked(shown ?? '') ? SECRET : valueOfText(setting, shown ?? '');

/** Why a value cannot be in a file. */
export function refusalOf(setting: Setting<unknown>, said: SaidValue): string | undefined {
  if (said === null || isReference(said)) return undefined;
  try {
    const value = setting.read(textOfValue(said));
    if (!isMasked(shownValue(setting, value) ?? '')) return undefined;
    return `has a password in it${mayBeSecret(setting) ? ': name a file or a variable for it, as for other secrets' : ', which a file must not have'}`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A value of a file as it is compared: as the service would show it. */
export function comparedValue(setting: Setting<unknown>, said: SaidValue): Json {
  if (said === null) return null;
  if (isReference(said)) return SECRET;
  return valueOfText(setting, setting.write(setting.read(textOfValue(said))));
}

function typesOf({ input, unit }: Setting<unknown>): Record<string, unknown> {
  switch (input.type) {
    case 'number':
      return { type: ['integer', 'string', 'null'], minimum: input.min, maximum: input.max };
    case 'flag':
      return { type: ['boolean', 'string', 'null'] };
    case 'choice':
      return { type: ['string', 'null'], enum: [...input.choices, null] };
    case 'list':
      return { type: ['array', 'string', 'null'], items: { type: 'string', minLength: 1, pattern: '^[^,]*$' } };
    case 'secret':
      return { ...SecretReference };
    case 'address':
      return { ...SecretReference, type: ['string', 'object', 'null'] };
    default:
      return { type: unit === 'seconds' ? ['number', 'string', 'null'] : ['string', 'null'] };
  }
}

/** For editors, and for the mistakes that can be told without the service. */
export function schemaOf(setting: Setting<unknown>): Schema {
  const fallback = shownValue(setting, setting.fallback);
  const about = `${setting.about} (${setting.unit}${fallback === null ? '' : `; default: ${fallback}`})`;
  return { ...typesOf(setting), description: about } as Schema;
}

const OF_MACHINE = [sharedSettings, identitySettings, walletSettings]
  .flatMap((settings) => Object.values(settings).map(({ key }) => key))
  .filter((key) => !serviceSettingsByKey.has(key));

/** What to write instead of a key that is no setting of the service. */
export function settingHint(key: string, keys: readonly string[] = [...serviceSettingsByKey.keys()]): string {
  if (OF_MACHINE.includes(key)) return ': it belongs to the machine, and is set in the environment or the file of settings';
  const near = nearMatch(key, keys);
  return near ? ` (did you mean ${near}?)` : '';
}
