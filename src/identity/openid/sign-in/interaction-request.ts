// A request of a browser to an interaction: the pages between an authorization request and its response.
import type { Client, Interaction, Provider } from 'oidc-provider';
import { type BrowserRequest, formToken, passkeyChallenges } from '../pages/browser.ts';
import { ACCOUNT_CLIENT, PUBLIC_WALLET } from '../provider/first-party-clients.ts';
import { attemptIdIn } from '../provider/paths.ts';

/** One request of a person during a sign-in or consent. */
export interface InteractionRequest {
  readonly provider: Provider;
  readonly browser: BrowserRequest;
  readonly interaction: Interaction;
  readonly clientId: string;
  /** The display name of the application. */
  readonly application: string;
  /** The target and the CSRF token of forms. */
  readonly form: { readonly action: string; readonly token: string };
  /** What passkeys sign here; ends with the interaction. */
  challengesFor(purpose: string): readonly string[];
  /** Returns to the library with a result. */
  finish(result: Record<string, unknown>): Promise<void>;
}

/** The pages of one prompt: shows a page, or handles a form. */
export interface PromptSteps {
  show(): Promise<void> | void;
  submit(step: string, form: URLSearchParams): Promise<void> | void;
}

/** The address of an attempt from the console was allowed for the request that began this interaction, and is never registered. */
const isAllowed = (provider: Provider, client: Client, uri: string): boolean =>
  client.redirectUriAllowed(uri) || attemptIdIn(provider.issuer, uri) !== undefined;

export async function openInteraction(
  provider: Provider,
  browser: BrowserRequest,
  keys: readonly string[],
): Promise<InteractionRequest | undefined> {
  const { request, response } = browser.exchange;
  let interaction: Interaction;
  try {
    interaction = await provider.interactionDetails(request, response);
  } catch {
    // Unknown, expired, finished, or of another browser.
    return undefined;
  }
  const { uid, params } = interaction;
  const client = await provider.Client.find(String(params.client_id));
  // The client may have been deleted in the meantime, or its redirect URI removed.
  const { redirect_uri: back } = params;
  // A consent needs a session: it is refused after the session ended.
  const { session, prompt } = interaction;
  if (prompt.name === 'consent' && !(await provider.Session.findByUid(session?.uid ?? ''))) return undefined;
  const isValid = client && (back === undefined || isAllowed(provider, client, String(back)));
  if (browser.path !== `/openid/interaction/${uid}` || !isValid) return undefined;
  const languages = String(params.ui_locales ?? '')
    .split(' ')
    .filter(Boolean);
  const look = browser.look.for({ languages });
  const { ownAccount, someWallet } = look.words;
  const { clientId, clientName = clientId } = client;
  const name = clientId === ACCOUNT_CLIENT ? ownAccount : clientId === PUBLIC_WALLET ? someWallet : clientName;
  return {
    provider,
    browser: { ...browser, look },
    interaction,
    clientId,
    application: name,
    form: { action: browser.path, token: formToken(keys[0]!, uid) },
    challengesFor: (purpose) => passkeyChallenges(keys, `${purpose} ${uid}`),
    finish: (result) => provider.interactionFinished(request, response, result as never, { mergeWithLastSubmission: false }),
  };
}
