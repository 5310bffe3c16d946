// Settings with which people may not get in any more: what happens to whom, and the command that takes it back, before they are saved.
import { html, nothing, type TemplateResult } from 'lit';
import { confirmAct } from '../../shared/dialog.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import type { AnySetting } from './setting-field.ts';

type Consequence = keyof typeof words.settings.consequences.of;

const PASSKEYS: Readonly<Record<string, Consequence>> = {
  required_for_administrators: 'passkeysOfAdministrators',
  off: 'noPasskeys',
};
const SECOND_FACTOR: Readonly<Record<string, Consequence>> = { required: 'secondFactor' };

/** By key and new value. */
const CONSEQUENCES: Readonly<Record<string, Readonly<Record<string, Consequence>>>> = {
  GATEHOUSE_IDENTITY_TWO_FACTOR: SECOND_FACTOR,
  'two_factor.policy': SECOND_FACTOR,
  GATEHOUSE_IDENTITY_PASSKEYS: PASSKEYS,
  'passkeys.policy': PASSKEYS,
};

interface Attention {
  readonly kind: string;
  readonly target: { readonly name?: string } | null;
}

/** Those who have neither a second factor nor a passkey, as far as the caller may know. */
async function administratorsWithout(): Promise<readonly string[]> {
  if (!session.may('identity:get_service_overview')) return [];
  const { overview } = await api.get<{ overview: { attention: Attention[] } }>('/v3/OS-SERVICE/overview');
  return overview.attention.flatMap(({ kind, target }) =>
    kind === 'administrator_without_factor' && target?.name !== undefined ? [target.name] : [],
  );
}

/** True when nothing is to be asked, or the person agreed. `domain`: its name, for settings of a domain. */
export async function agreesToConsequences(
  settings: readonly AnySetting[],
  changes: Readonly<Record<string, string | null>>,
  domain?: string,
): Promise<boolean> {
  const found = settings.flatMap(({ key, value, default: fallback }) => {
    const next = Object.hasOwn(changes, key) ? (changes[key] ?? fallback) : value;
    const consequence = next === null || next === value ? undefined : CONSEQUENCES[key]?.[next];
    return consequence === undefined ? [] : [{ key, consequence }];
  });
  if (found.length === 0) return true;
  const { consequences } = words.settings;
  const names = await administratorsWithout();
  const command = ({ key }: (typeof found)[number]): TemplateResult =>
    html`<p><code>gatehouse settings forget ${domain === undefined ? key : `${domain}/${key}`}</code></p>`;
  return confirmAct({
    title: consequences.title,
    text: html`${found.map(({ consequence }) => html`<p>${consequences.of[consequence]}</p>`)}
      ${names.length === 0 ? nothing : html`<p>${consequences.administrators(names.join(', '))}</p>`}
      <p>${consequences.wayBack}</p>${found.map(command)}`,
    action: consequences.agree,
  });
}
