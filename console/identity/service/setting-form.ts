// The settings of a group as a form: each with its sentence and default, what the operator has fixed read only.
import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { edit, type Version } from '../../shared/edit.ts';
import type { FormField, FormValues } from '../../shared/form.ts';
import { ApiError } from '../../shared/http.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { frame } from '../frame.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { agreesToConsequences } from './consequences.ts';
import { amount, choiceOf, settingField } from './setting-field.ts';

export type Input =
  | { readonly type: 'text' | 'list' | 'address' | 'pattern' | 'secret' | 'flag' }
  | { readonly type: 'number'; readonly min: number; readonly max: number }
  | { readonly type: 'choice'; readonly choices: readonly string[] };

export interface Setting {
  readonly key: string;
  readonly value: string | null;
  readonly source: 'environment' | 'file' | 'service' | 'default';
  readonly unit: string;
  readonly about: string;
  readonly group: keyof typeof words.settings.groups | null;
  readonly default: string | null;
  readonly input: Input;
}

export const PATH = '/v3/OS-SERVICE/settings';
export const isFixed = ({ source }: Setting): boolean => source === 'environment' || source === 'file';

/** What a person calls it; settings of the machine have no other name than their key. */
export const nameOf = ({ key }: Setting): string => (words.settings.names as Readonly<Record<string, string>>)[key] ?? key;

export function shownValue(setting: Setting): Content {
  const { value, unit, input } = setting;
  if (value === null || value === '') return words.service.notSet;
  if (input.type === 'flag' || input.type === 'choice') return choiceOf(value);
  if (input.type === 'number') return html`<span lang=${unit === 'seconds' ? nothing : 'en'}>${amount(value, setting)}</span>`;
  return html`<code>${value}</code>`;
}

/** Where the operator has fixed it. */
const placeOf = ({ source, key }: Setting): TemplateResult | undefined =>
  source === 'environment' || source === 'file' ? html`${words.settings.fixed[source]} <code>${key}</code>` : undefined;

/** Beside a value that is another one. */
export function shownDefault(setting: Setting): Content {
  const { source, group, default: usual } = setting;
  if (source === 'default' || group === null) return nothing;
  const { input } = setting;
  const text = input.type === 'flag' || input.type === 'choice' ? choiceOf(usual ?? '') : amount(usual ?? '', setting);
  return html`<br /><span class="soft">${words.settings.byDefault(usual === null ? '' : text)}</span>`;
}

const fieldOf = (setting: Setting): FormField =>
  settingField(setting, {
    label: nameOf(setting),
    isStored: setting.source === 'service',
    fixed: placeOf(setting),
  });

/** The service says keys; people see names. The refusal is shown at the setting that it is about. */
function withNames(error: unknown, settings: readonly Setting[]): unknown {
  if (!(error instanceof ApiError) || error.status !== 400) return error;
  const [, field] = /^Invalid setting: (GATEHOUSE_\w+)/.exec(error.message) ?? [];
  const text = error.message.replace(/^Invalid setting: /, '').replaceAll(/GATEHOUSE_\w+/g, (key) => {
    const found = settings.find((one) => one.key === key);
    return found ? `“${nameOf(found)}”` : key;
  });
  return new ApiError(error.status, text, { field });
}

export type Group = NonNullable<Setting['group']>;

export async function readSettings(signal?: AbortSignal): Promise<Version<readonly Setting[]>> {
  const { body, etag } = await api.read<{ settings: Setting[] }>(PATH, signal ? { signal } : {});
  return { thing: body.settings, etag };
}

/** False: the person did not want what comes of it. */
async function save(all: readonly Setting[], group: Group, values: FormValues, etag: string | undefined): Promise<boolean> {
  const changes: Record<string, string | null> = {};
  const settings = all.filter((one) => one.group === group);
  for (const setting of settings) {
    if (isFixed(setting)) continue;
    const entered = values.text(setting.key);
    const before = setting.source === 'service' ? (setting.value ?? '') : '';
    // Nothing entered for a secret: it stays as it is.
    if (setting.input.type === 'secret' ? entered !== '' : entered !== before)
      changes[setting.key] = entered === '' ? null : entered;
  }
  if (values.checked('forget'))
    for (const { key, input, source } of settings) if (input.type === 'secret' && source === 'service') changes[key] ??= null;
  if (!(await agreesToConsequences(settings, changes))) return false;
  try {
    await api.patch(PATH, { settings: changes }, etag === undefined ? {} : { ifMatch: etag });
    return true;
  } catch (error) {
    throw withNames(error, all);
  }
}

/** `onEntered`: what is typed, before it is saved. */
export function settingForm(
  version: Version<readonly Setting[]>,
  group: Group,
  reload: () => Promise<void>,
  onEntered?: (key: string, value: string) => void,
): TemplateResult {
  const ofGroup = (all: readonly Setting[]) => all.filter((one) => one.group === group);
  const hasSecret = (all: readonly Setting[]) =>
    ofGroup(all).some(({ input, source }) => input.type === 'secret' && source === 'service');
  const forget: FormField = { name: 'forget', type: 'checkbox', label: words.settings.forgetSecret };
  const field = (setting: Setting): FormField => ({
    ...fieldOf(setting),
    ...(onEntered ? { onChange: (value: string) => onEntered(setting.key, value) } : {}),
  });
  return html`<div class="side-by-side">${keyed(
    // A form of its own for each version: a secret does not stay in it after it was saved.
    version.etag,
    edit<readonly Setting[]>({
      version,
      fields: (all) => [...ofGroup(all).map(field), ...(hasSecret(all) ? [forget] : [])],
      read: () => readSettings(),
      save: (values, etag, present) => save(present, group, values, etag),
      onSaved: async () => {
        frame.setDirty(false);
        await reload();
        announce(words.settings.saved);
      },
      onDirty: () => frame.setDirty(true),
    }),
  )}</div>`;
}
