// A person between an application's request and its answer, and what there is to do for them.
import type { Interaction, Provider } from 'oidc-provider';
import { type Browser, formToken } from '../pages/browser.ts';

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

export async function visitOf(provider: Provider, browser: Browser, key: string): Promise<Visit | undefined> {
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
