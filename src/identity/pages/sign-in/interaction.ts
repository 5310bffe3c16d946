// /openid/interaction/{uid}: the pages of a sign-in. The progress is stored with the interaction on the server; the browser only has a
// signed cookie with its id.
import type { Provider } from 'oidc-provider';
import { type BrowserRequest, checkFormToken, readForm, sendPage } from '../../ground/look/index.ts';
import { type ConsentDeps, ConsentStep } from './consent-step.ts';
import { openInteraction, type PromptSteps } from './interaction-request.ts';
import { expiredPage } from './sign-in-pages.ts';
import { SignInSteps, type SignInStepsDeps } from './sign-in-steps.ts';

export function createInteractions(deps: SignInStepsDeps & ConsentDeps) {
  return async function serve(provider: Provider, browser: BrowserRequest, keys: readonly string[]): Promise<void> {
    const request = await openInteraction(provider, browser, keys, deps);
    if (!request) return sendPage(browser, expiredPage(browser.look), 400);
    const { interaction } = request;
    const steps: PromptSteps =
      interaction.prompt.name === 'consent' ? new ConsentStep(deps, request) : new SignInSteps(deps, request);
    if (browser.method !== 'POST') return steps.show();
    const form = await readForm(browser);
    checkFormToken(form, keys, interaction.uid);
    const step = form.get('step') ?? '';
    if (step === 'cancel') return request.finish({ error: 'access_denied', error_description: 'the person denied the request' });
    return steps.submit(step, form);
  };
}

export type Interactions = ReturnType<typeof createInteractions>;
