// Who uses the wallet. The session is a cookie that scripts cannot read; the service refuses changes that do not come from its own pages.
import { html, render } from 'lit';
import { openDialog } from '../shared/dialog.ts';
import { type Answer, ApiError, type RequestOptions, SignedOutError, send } from '../shared/http.ts';
import { hidePage } from '../shared/router.ts';
import { settings } from '../shared/settings.ts';
import { shared } from '../shared/words/index.ts';
import type { UserInfo } from './types.ts';
import { words } from './words/index.ts';

export const API = '/api/v1/wallet';
const AUTH = '/api/v1/auth';
/** The service accepts no longer address to come back to. */
const MAX_RETURN = 1900;

const loginUrl = (returnTo: string): string => `${AUTH}/login?${new URLSearchParams({ return_to: returnTo })}`;

export class Session {
  person!: UserInfo;
  #signingIn: Promise<void> | undefined;

  /** False if nobody is signed in; then the page says so. */
  async start(): Promise<boolean> {
    try {
      this.person = (await send<UserInfo>('GET', `${AUTH}/userinfo`)).body;
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      showSignIn();
      return false;
    }
  }

  async request<Body>(method: string, path: string, options: RequestOptions = {}): Promise<Answer<Body>> {
    for (;;) {
      try {
        return await send<Body>(method, path, options);
      } catch (error) {
        // The session ended. The service refused before it did anything.
        if (!(error instanceof ApiError) || error.status !== 401) throw error;
        this.#signingIn ??= this.#signInAgain().finally(() => {
          this.#signingIn = undefined;
        });
        await this.#signingIn;
      }
    }
  }

  async #signInAgain(): Promise<void> {
    await askToSignIn();
    const again = await send<UserInfo>('GET', `${AUTH}/userinfo`).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) return undefined;
      throw error;
    });
    if (!again || this.#isSame(again.body)) return;
    leaveToOther();
    throw new SignedOutError();
  }

  #isSame({ sub, iss }: UserInfo): boolean {
    return sub === this.person.sub && iss === this.person.iss;
  }

  /** All tabs have one cookie: after somebody else signed in in another tab, this page would act in the wallet of that person. */
  watch(): void {
    window.addEventListener('focus', () => {
      // If this fails, the next request of a screen tells why.
      void this.#checkPerson().catch(() => {});
    });
  }

  async #checkPerson(): Promise<void> {
    const { body } = await send<UserInfo>('GET', `${AUTH}/userinfo`);
    if (!this.#isSame(body)) leaveToOther();
  }

  async signOut(): Promise<void> {
    hidePage();
    const answer = await send<{ endSessionUrl?: string }>('POST', `${AUTH}/logout`).catch(() => undefined);
    window.location.assign(answer?.body.endSessionUrl ?? '/');
  }
}

/** Somebody else signed in in this browser. Nothing of the first person may stay on the page. */
function leaveToOther(): void {
  hidePage();
  window.location.assign('/');
}

/** The page for somebody who is not signed in. It comes back to the same screen. */
function showSignIn(): void {
  const { pathname, search } = window.location;
  const here = pathname + search;
  const isLong = here.length > MAX_RETURN;
  document.title = settings.brand.name;
  render(
    html`<main id="content" class="welcome">
      <h1>${settings.brand.name}</h1>
      <p>${words.frame.welcome}</p>
      ${isLong ? html`<p class="warn">${words.frame.longLink}</p>` : ''}
      <p><a class="button" href=${loginUrl(isLong ? '/receive' : here)}>${shared.signIn}</a></p>
    </main>`,
    document.body,
  );
}

/** In another tab, so that nothing on the page is lost. Goes on when the person comes back. */
async function askToSignIn(): Promise<void> {
  await openDialog<true>(
    shared.signedOutTitle,
    (close) => html`<p>${shared.signedOutText}</p>
      <div class="buttons">
        <a class="button" href=${loginUrl('/')} target="_blank" rel="noopener">${shared.signIn}</a>
        <button type="button" class="second" @click=${() => close(true)}>${shared.goOn}</button>
      </div>`,
  );
}

export const session = new Session();

export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** For the next page. */
  readonly cursor: string | undefined;
}

/** The API of the wallet, as the person who is signed in. */
export const api = {
  get: async <Body>(path: string, options?: RequestOptions): Promise<Body> =>
    (await session.request<Body>('GET', API + path, options)).body,
  list: async <Item>(path: string, options?: RequestOptions): Promise<ListPage<Item>> => {
    const { body, headers } = await session.request<Item[]>('GET', API + path, options);
    const next = /<([^>]+)>;\s*rel="next"/.exec(headers.get('Link') ?? '')?.[1];
    return { items: body, cursor: (next && URL.parse(next)?.searchParams.get('cursor')) || undefined };
  },
  post: async <Body>(path: string, body: unknown = {}, options?: RequestOptions): Promise<Body> =>
    (await session.request<Body>('POST', API + path, { ...options, body })).body,
  delete: async (path: string, options?: RequestOptions): Promise<void> => {
    await session.request('DELETE', API + path, options);
  },
};
