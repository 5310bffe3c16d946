// The keys of the service at a provider: which there are, where they are published, and new ones.
import { html, type TemplateResult } from 'lit';
import { confirmAct, copyable } from '../../shared/dialog.ts';
import { announce } from '../../shared/status.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { providerPath } from './types.ts';

export interface ProviderKey {
  readonly id: string;
  readonly used_for: 'sig' | 'dpop';
  readonly alg: string;
  readonly created_at: string;
}

export const keysPath = (id: string): string => `${providerPath(id)}/openid/keys`;

export function keysCard(
  id: string,
  { keys, jwksUri, reload }: { readonly keys: readonly ProviderKey[]; readonly jwksUri: string; reload(): Promise<void> },
): TemplateResult {
  const { providers } = words;
  const replace = async (atOnce: boolean): Promise<void> => {
    const done = await confirmAct({
      title: atOnce ? providers.replaceKeysNow : providers.replaceKeys,
      text: atOnce ? providers.replaceKeysNowText : providers.replaceKeysText,
      action: atOnce ? providers.replaceKeysNow : providers.replaceKeys,
      danger: atOnce,
      run: async () => {
        await api.post(keysPath(id), { keys: { at_once: atOnce } });
      },
    });
    if (!done) return;
    await reload();
    announce(providers.keysReplaced);
  };
  return html`<section class="card"><h2>${providers.ourKeys}</h2><p>${providers.ourKeysText}</p>
    <h3>${providers.jwksUri}</h3>${copyable(jwksUri)}
    <ul>${keys.map(
      (key) =>
        html`<li>${providers.keyUses[key.used_for]}: ${key.alg}, <code>${key.id}</code>, <time datetime=${key.created_at}>${new Date(key.created_at).toLocaleString(document.documentElement.lang)}</time></li>`,
    )}</ul>
    <p class="actions"><button type="button" class="second" @click=${() => void replace(false)}>${providers.replaceKeys}</button>
    <button type="button" class="second danger" @click=${() => void replace(true)}>${providers.replaceKeysNow}</button></p></section>`;
}
