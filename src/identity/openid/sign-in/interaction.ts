// /openid/interaction/{uid}: the pages between an application's request and its answer. What was proved is kept with the
// interaction, on our side; the browser holds a signed cookie that names it.
import type { Interaction, Provider } from 'oidc-provider';
import { type Browser, checkFormToken, formToken, readForm, sendPage } from '../pages/browser.ts';
import { expiredPage } from '../pages/sign-in-pages.ts';
import { type ConsentDeps, ConsentStep } from './consent-step.ts';
import { type SignInPagesDeps, SignInSteps } from './sign-in-steps.ts';

/** One request of a person who is on the way from an application and back to it. */
export interface Visit {
  readonly provider: Provider;
  readonly browser: Browser;
  readonly interaction: Interaction;
  readonly clientId: string;
  /** What people know the application by. */
  readonly application: string;
  /** Where forms of these pages go, and the word that says they are ours. */
  readonly form: { readonly action: string; readonly token: string };
  /** Back to the provider, which goes on with this. */
  finish(result: Record<string, unknown>): Promise<void>;
}

/** What there is to do at one prompt of the provider. */
export interface Steps {
  show(): Promise<void> | void;
  take(step: string, form: URLSearchParams): Promise<void> | void;
}

async function visitOf(provider: Provider, browser: Browser, key: string): Promise<Visit | undefined> {
  const { request, response } = browser.exchange;
  let interaction: Interaction;
  try {
    interaction = await provider.interactionDetails(request, response);
  } catch {
    // Of another browser, too old, or finished.
    return undefined;
  }
  const { uid, params } = interaction;
  const client = await provider.Client.find(String(params.client_id));
  // Deleted meanwhile, or no longer at the address it asked from.
  const { redirect_uri: back } = params;
  // What a person allows they allow in their session; in one that ended they allow nothing.
  const { session, prompt } = interaction;
  if (prompt.name === 'consent' && !(await provider.Session.findByUid(session?.uid ?? ''))) return undefined;
  const stands = client && (back === undefined || client.redirectUriAllowed(String(back)));
  if (browser.path !== `/openid/interaction/${uid}` || !stands) return undefined;
  return {
    provider,
    browser,
    interaction,
    clientId: client.clientId,
    application: client.clientName ?? client.clientId,
    form: { action: browser.path, token: formToken(key, uid) },
    finish: (result) => provider.interactionFinished(request, response, result as never, { mergeWithLastSubmission: false }),
  };
}

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
