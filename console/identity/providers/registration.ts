// Registering the service at a provider by itself: at first, and again.
import { html, type TemplateResult } from 'lit';
import { form } from '../../shared/form.ts';
import { announce } from '../../shared/status.ts';
import { frame } from '../frame.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { providerPath } from './types.ts';

/** `openid`: the settings; without them, those that are stored. */
export async function registerAt(id: string, token: string | undefined, openid?: object): Promise<void> {
  const registration = { ...(token === undefined ? {} : { initial_access_token: token }), ...(openid ? { openid } : {}) };
  await api.post(`${providerPath(id)}/openid/registration`, { registration });
}

export const tokenField = () => ({
  name: 'initial_access_token',
  label: words.providers.initialToken,
  hint: words.providers.initialTokenHint,
  type: 'password' as const,
  maxLength: 4096,
});

export function registrationCard(id: string, reload: () => Promise<void>): TemplateResult {
  const { providers } = words;
  return html`<section class="card"><h2>${providers.registerItself}</h2><p>${providers.registerAgainText}</p>
    ${form({
      fields: [tokenField()],
      submitLabel: providers.registerAgain,
      onDirty: () => frame.setDirty(true),
      submit: async (values) => {
        await registerAt(id, values.optional('initial_access_token'));
        frame.setDirty(false);
        await reload();
        announce(providers.registered);
      },
    })}</section>`;
}
