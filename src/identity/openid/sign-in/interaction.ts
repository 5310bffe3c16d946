// /openid/interaction/{uid}: the pages between an application's request and its answer. What was proved is kept with the
// interaction, on our side; the browser holds a signed cookie that names it.
import type { Provider } from 'oidc-provider';
import { type Browser, checkFormToken, readForm, sendPage } from '../pages/browser.ts';
import { expiredPage } from '../pages/sign-in-pages.ts';
import { type ConsentDeps, ConsentStep } from './consent-step.ts';
import { type SignInPagesDeps, SignInSteps } from './sign-in-steps.ts';
import { type Steps, visitOf } from './visit.ts';

export function createInteractions(deps: SignInPagesDeps & ConsentDeps) {
  return async function serve(provider: Provider, browser: Browser, keys: readonly string[]): Promise<void> {
    const visit = await visitOf(provider, browser, keys[0]!);
    if (!visit) return sendPage(browser, expiredPage(), 400);
    const { interaction } = visit;
    const steps: Steps = interaction.prompt.name === 'consent' ? new ConsentStep(deps, visit) : new SignInSteps(deps, visit);
    if (browser.method !== 'POST') return steps.show();
    const form = await readForm(browser);
    checkFormToken(form, keys, interaction.uid);
    const step = form.get('step') ?? '';
    if (step === 'cancel') return visit.finish({ error: 'access_denied', error_description: 'the person said no' });
    return steps.take(step, form);
  };
}

export type Interactions = ReturnType<typeof createInteractions>;
