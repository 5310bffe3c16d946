// A request of a browser to an interaction: the pages between an authorization request and its response.
import type { Client, Interaction, Provider } from 'oidc-provider';
import type { DomainLooks } from '../../directory/domain-looks/index.ts';
import { type BrowserRequest, formToken, passkeyChallenges, readCookie, setCookie } from '../../ground/look/index.ts';
import { ACCOUNT_CLIENT, PUBLIC_WALLET } from '../../openid/first-party-clients/index.ts';
import { attemptIdIn } from '../../openid/paths/index.ts';
import {
  browserCookie,
  cookieOf,
  domainHintIn,
  hashOfSecret,
  newBrowserSecret,
  outdatedCookies,
  SELF_REGISTERED,
} from '../../openid/provider/index.ts';
import type { Records } from '../../openid/records/index.ts';

/** As long as the library keeps a sign-in that is not finished; and how long browsers take to collect one that is. */
const OPEN_SECONDS = 3600;
const FINISHED_SECONDS = 300;

/** One request of a person during a sign-in or consent. */
export interface InteractionRequest {
  readonly provider: Provider;
  readonly browser: BrowserRequest;
  readonly interaction: Interaction;
  readonly clientId: string;
  /** The display name of the application. */
  readonly application: string;
  /** It registered itself, and nobody has kept it. */
  readonly isStranger: boolean;
  /** Addresses of pages, as it is registered. */
  readonly pages: { readonly policy: string | undefined; readonly terms: string | undefined };
  /** What the application may ask for now; undefined: everything. */
  readonly allowedScopes: readonly string[] | undefined;
  /** The target and the CSRF token of forms. */
  /** The domain that the application named; empty if it named none. */
  readonly domain: string;
  readonly form: { readonly action: string; readonly token: string };
  /** What passkeys sign here; ends with the interaction. */
  challengesFor(purpose: string): readonly string[];
  /** Stores what the person proved so far. From now on only this browser goes on. */
  saveProof(): Promise<void>;
  /** Returns to the library with a result. Only this browser collects a sign-in. */
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

export interface InteractionDeps {
  readonly records: Pick<Records, 'setBrowserSecret' | 'browserSecretOf'>;
  readonly domainLooks: Pick<DomainLooks, 'brandNamed'>;
}

export async function openInteraction(
  provider: Provider,
  browser: BrowserRequest,
  keys: readonly string[],
  { records, domainLooks }: InteractionDeps,
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
  const domain = domainHintIn(params);
  const look = browser.look.in(await domainLooks.brandNamed(domain)).for({ languages });
  const { ownAccount, someWallet } = look.words;
  const { clientId, clientName = clientId } = client;
  const name = clientId === ACCOUNT_CLIENT ? ownAccount : clientId === PUBLIC_WALLET ? someWallet : clientName;
  /** Another secret with each request: whoever had the one before does not have this one. */
  const bindBrowser = (seconds: number): string => {
    const secret = records.browserSecretOf(uid) ?? newBrowserSecret();
    const cookie = browserCookie(provider.issuer, uid);
    setCookie(browser, cookie, cookieOf(secret, readCookie(browser, cookie)), '/', seconds);
    for (const old of outdatedCookies(request.headers.cookie, provider.issuer, uid)) setCookie(browser, old, '', '/', 0);
    records.setBrowserSecret(uid, secret);
    return hashOfSecret(secret);
  };
  return {
    provider,
    browser: { ...browser, look },
    interaction,
    clientId,
    application: name,
    isStranger: client[SELF_REGISTERED] !== undefined,
    pages: { policy: client.policyUri, terms: client.tosUri },
    allowedScopes: client.scope?.split(' '),
    domain,
    form: { action: browser.path, token: formToken(keys[0]!, uid) },
    challengesFor: (purpose) => passkeyChallenges(keys, `${purpose} ${uid}`),
    saveProof() {
      interaction.lastSubmission = { ...interaction.lastSubmission, browser: bindBrowser(OPEN_SECONDS) };
      return interaction.save(interaction.exp - Math.floor(Date.now() / 1000)).then(() => {});
    },
    finish(result) {
      const { login } = result as { login?: object };
      const bound = login ? { ...result, login: { ...login, browser: bindBrowser(FINISHED_SECONDS) } } : result;
      return provider.interactionFinished(request, response, bound as never, { mergeWithLastSubmission: false });
    },
  };
}
