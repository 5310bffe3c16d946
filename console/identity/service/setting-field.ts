// A setting as a field of a form, of the service or of a domain.
import { html, nothing, type TemplateResult } from 'lit';
import type { FormField } from '../../shared/form.ts';
import { LANGUAGES } from '../../shared/languages.ts';
import { durationText } from '../../shared/time.ts';
import { words } from '../words/index.ts';

export type SettingInput =
  | { readonly type: 'text' | 'list' | 'address' | 'pattern' | 'secret' | 'flag' }
  | { readonly type: 'number'; readonly min: number; readonly max: number }
  | { readonly type: 'choice'; readonly choices: readonly string[] };

export interface AnySetting {
  readonly key: string;
  readonly value: string | null;
  readonly unit: string;
  readonly about: string;
  readonly default: string | null;
  readonly input: SettingInput;
}

/** The value of a choice in the words of the person; a language has the name that it has in itself. */
export const choiceOf = (choice: string): string =>
  (words.settings.choices as Readonly<Record<string, string>>)[choice] ??
  (LANGUAGES as Readonly<Record<string, { readonly name: string }>>)[choice]?.name ??
  choice;

/** A number with what it counts; times as people say them. */
export const amount = (value: string, { unit, input }: Pick<AnySetting, 'unit' | 'input'>): string =>
  input.type !== 'number' ? value : unit === 'seconds' ? durationText(Number(value)) : `${value} ${unit}`;

export interface SettingState {
  readonly label: string;
  /** Its value is stored where this form stores. */
  readonly isStored: boolean;
  /** Why it cannot be changed here. */
  readonly fixed: TemplateResult | undefined;
}

/** Empty means the default: a secret that is set is not shown, and stays when nothing is entered. */
export function settingField(setting: AnySetting, { label, isStored, fixed }: SettingState): FormField {
  const { key, value, about, unit, input } = setting;
  const stored = isStored ? (value ?? '') : '';
  const what = html`<span lang="en">${about}</span>`;
  const fallback =
    setting.default === null || setting.default === ''
      ? words.settings.noDefault
      : words.settings.defaultIs(amount(setting.default, setting));
  const range = input.type === 'number' ? words.settings.range(input.min, input.max, unit) : '';
  const common = { name: key, label, hint: html`${what} ${range} ${fallback}`, value: stored, unmarked: true };
  const isChoice = input.type === 'choice' || input.type === 'flag';
  const shown = value !== null && isChoice ? choiceOf(value) : (value ?? '');
  if (fixed) return { ...common, type: 'text', value: shown, readOnly: true, hint: fixed };
  const options = (choices: readonly string[]) => [
    { value: '', label: words.settings.asDefault(choiceOf(setting.default ?? '')) },
    ...choices.map((choice) => ({ value: choice, label: choiceOf(choice) })),
  ];
  switch (input.type) {
    case 'choice':
      return { ...common, type: 'select', hint: what, options: options(input.choices) };
    case 'flag':
      return { ...common, type: 'select', hint: what, options: options(['on', 'off']) };
    case 'secret':
      return {
        ...common,
        type: 'password',
        value: undefined,
        hint: html`<span lang="en">${about}</span> ${value === null ? nothing : words.settings.secretSet}`,
      };
    case 'number':
      return { ...common, pattern: '\\d+' };
    default:
      return common;
  }
}

/** What is sent of a form: what was changed, and null for what goes back to the default. */
export function changesIn<One extends AnySetting>(
  settings: readonly One[],
  entered: (key: string) => string,
  isStored: (one: One) => boolean,
): Record<string, string | null> {
  const changes: Record<string, string | null> = {};
  for (const setting of settings) {
    const text = entered(setting.key);
    const before = isStored(setting) ? (setting.value ?? '') : '';
    // Nothing entered for a secret: it stays as it is.
    if (setting.input.type === 'secret' ? text !== '' : text !== before) changes[setting.key] = text === '' ? null : text;
  }
  return changes;
}
