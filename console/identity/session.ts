// Who uses the console, and in which role. The token is in memory only: it is gone with the page.
import { html, render } from 'lit';
import { openDialog } from '../shared/dialog.ts';
import { type Answer, ApiError, type RequestOptions, SignedOutError, send } from '../shared/http.ts';
import { problemMessage } from '../shared/problem.ts';
import { hidePage } from '../shared/router.ts';
import { shared } from '../shared/words/index.ts';

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly display_name: string;
  readonly domain_id: string;
}

/** Where the person acts: the whole system, a domain, an organization, or nowhere in particular. */
export interface Scope {
  readonly kind: 'system' | 'domain' | 'project' | 'unscoped';
  readonly id: string;
  readonly name: string;
}

interface Token {
  readonly text: string;
  readonly expiresAt: number;
}

interface SessionAnswer {
  readonly token: string;
  readonly expires_at: string;
  readonly idle_seconds: number;
  readonly user: Person;
}

interface TokenAnswer {
  readonly token: { readonly expires_at: string; readonly roles?: readonly { readonly id: string; readonly name: string }[] };
}

const SESSION = '/console/session';
const UNSCOPED: Scope = { kind: 'unscoped', id: '', name: '' };
/** Remembered for this tab. It is a choice, no secret. */
const CHOICE = 'gatehouse:scope';
/** Tokens are renewed when they have less than this left. */
const RENEW_MS = 60_000;
/** After a refusal, roles are read again; not more often than this. */
const READ_AGAIN_MS = 10_000;

const keyOf = ({ kind, id }: Scope): string => `${kind} ${id}`;
const bodyOf = ({ kind, id }: Scope) => (kind === 'system' ? { system: { all: true } } : { [kind]: { id } });

export class Session {
  person!: Person;
  idleSeconds = 0;
  scopes: readonly Scope[] = [];
  scope: Scope = UNSCOPED;
  /** The names of the rules that this person passes in this scope. */
  #allowed: ReadonlySet<string> = new Set();
  #roles: readonly string[] = [];
  #unscoped: Token | undefined;
  #token: Token | undefined;
  #renewing: Promise<Token> | undefined;
  #signingIn: Promise<boolean> | undefined;
  #readAt = 0;
  /** Called when the person's roles turned out to be others. `lost`: the scope in which they cannot act any more. */
  onChange: (lost: Scope | undefined) => void = () => {};

  async start(): Promise<void> {
    await this.#readScopes();
    const chosen = sessionStorage.getItem(CHOICE);
    await this.choose(this.scopes.find((scope) => keyOf(scope) === chosen) ?? this.scopes[0] ?? UNSCOPED);
  }

  async #readScopes(): Promise<void> {
    if (!this.#unscoped || this.#unscoped.expiresAt - Date.now() <= RENEW_MS) await this.#renewUnscoped();
    const headers = { 'X-Auth-Token': this.#unscoped!.text };
    const [{ body: system }, { body: domains }, { body: projects }] = await Promise.all([
      send<{ system: readonly { all: true }[] }>('GET', '/v3/auth/system', { headers }),
      send<{ domains: readonly { id: string; name: string }[] }>('GET', '/v3/auth/domains', { headers }),
      send<{ projects: readonly { id: string; name: string }[] }>('GET', '/v3/auth/projects', { headers }),
    ]);
    this.scopes = [
      ...(system.system.length > 0 ? [{ kind: 'system', id: 'all', name: '' } as const] : []),
      ...domains.domains.map(({ id, name }) => ({ kind: 'domain', id, name }) as const),
      ...projects.projects.map(({ id, name }) => ({ kind: 'project', id, name }) as const),
    ];
  }

  /** A request was refused: the person's roles may be others by now. What is not theirs any more is not offered any more. */
  async #readAgain(): Promise<void> {
    if (Date.now() - this.#readAt < READ_AGAIN_MS) return;
    this.#readAt = Date.now();
    const { scope } = this;
    const before = [...this.#allowed].sort().join();
    await this.#readScopes();
    const left = this.scopes.find((one) => keyOf(one) === keyOf(scope));
    await this.choose(left ?? this.scopes[0] ?? UNSCOPED);
    const lost = left || scope.kind === 'unscoped' ? undefined : scope;
    if (lost || before !== [...this.#allowed].sort().join()) this.onChange(lost);
  }

  /** Acts in another scope from now on. If that is refused, the person goes on in the scope before. */
  async choose(scope: Scope): Promise<void> {
    const before = this.scope;
    this.scope = scope;
    this.#token = undefined;
    try {
      const { body } = await this.request<{ allowed: readonly string[] }>('GET', '/v3/auth/OS-ACCESS/allowed');
      // Another one may have been chosen meanwhile.
      if (this.scope !== scope) return;
      this.#allowed = new Set(body.allowed);
    } catch (error) {
      if (this.scope === scope) {
        this.scope = before;
        this.#token = undefined;
      }
      throw error;
    }
    if (scope !== UNSCOPED) sessionStorage.setItem(CHOICE, keyOf(scope));
  }

  /** Whether a rule of the service's policy lets the person do this, in the scope they act in. */
  may(rule: string): boolean {
    return this.#allowed.has(rule);
  }

  /** What the person may do with one thing, such as `{ user_id }`: asked from the service, which knows it. */
  async mayWith(ids: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<(rule: string) => boolean> {
    const { body } = await this.request<{ allowed: readonly string[] }>('GET', '/v3/auth/OS-ACCESS/allowed', {
      query: ids,
      signal,
    });
    const allowed = new Set(body.allowed);
    return (rule) => allowed.has(rule);
  }

  get roles(): readonly string[] {
    return this.#roles;
  }

  async request<Body>(method: string, path: string, options: RequestOptions = {}): Promise<Answer<Body>> {
    const { scope } = this;
    for (let attempt = 0; ; attempt++) {
      try {
        const token = await this.#current();
        return await send<Body>(method, path, { ...options, headers: { ...options.headers, 'X-Auth-Token': token.text } });
      } catch (error) {
        if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 403)) throw error;
        if (error.maxAge !== undefined) {
          // The service refused before it did anything. What the person entered is still there.
          if (!(await this.#signInAgain(shared.recentSignInTitle, shared.recentSignInText))) throw error;
          this.#forget();
        } else {
          // The token ended early, such as when a role was removed.
          if (error.status === 401) this.#forget();
          if (error.status === 403 || attempt > 0) {
            void this.#readAgain().catch(() => {});
            throw error;
          }
        }
        // What was begun in one scope is not done in another.
        if (keyOf(this.scope) !== keyOf(scope)) throw error;
      }
    }
  }

  #forget(): void {
    this.#token = undefined;
    this.#unscoped = undefined;
  }

  #signInAgain(title: string, text: string): Promise<boolean> {
    this.#signingIn ??= askToSignIn(title, text).finally(() => {
      this.#signingIn = undefined;
    });
    return this.#signingIn;
  }

  async signOut(): Promise<void> {
    hidePage();
    this.#forget();
    try {
      await send('DELETE', SESSION);
    } catch {
      showStillSignedIn(() => void this.signOut());
      return;
    }
    window.location.assign('/account');
  }

  #current(): Promise<Token> | Token {
    const token = this.scope.kind === 'unscoped' ? this.#unscoped : this.#token;
    if (token && token.expiresAt - Date.now() > RENEW_MS) return token;
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(): Promise<Token> {
    if (!this.#unscoped || this.#unscoped.expiresAt - Date.now() <= RENEW_MS) await this.#renewUnscoped();
    const { scope } = this;
    if (scope.kind === 'unscoped') {
      this.#roles = [];
      return this.#unscoped!;
    }
    const identity = { methods: ['token'], token: { id: this.#unscoped!.text } };
    const answer = await send<TokenAnswer>('POST', '/v3/auth/tokens', {
      query: { nocatalog: true },
      body: { auth: { identity, scope: bodyOf(scope) } },
    }).catch((error: unknown) => {
      if (this.scope === scope) throw error;
      return undefined;
    });
    // Another scope was chosen meanwhile. What the person does next must not be done in this one.
    if (!answer || this.scope !== scope) return this.#renew();
    const { body, headers } = answer;
    this.#roles = (body.token.roles ?? []).map(({ name }) => name);
    this.#token = { text: headers.get('X-Subject-Token')!, expiresAt: Date.parse(body.token.expires_at) };
    return this.#token;
  }

  async #renewUnscoped(): Promise<void> {
    for (;;) {
      try {
        const { body } = await send<SessionAnswer>('POST', SESSION);
        if (this.person && body.user.id !== this.person.id) {
          // Somebody else signed in in this browser. Nothing of the first person may stay on the page.
          hidePage();
          window.location.reload();
          throw new SignedOutError();
        }
        this.person = body.user;
        this.idleSeconds = body.idle_seconds;
        this.#unscoped = { text: body.token, expiresAt: Date.parse(body.expires_at) };
        return;
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 401) throw error;
        await this.#signInAgain(shared.signedOutTitle, shared.signedOutText);
      }
    }
  }
}

/** Nothing of the person is on the page any more, but their session may go on: they must know before they leave. */
function showStillSignedIn(retry: () => void): void {
  const problem = { title: shared.stillSignedInTitle, text: shared.stillSignedInText, canRetry: true };
  const page = document.createElement('main');
  page.id = 'content';
  document.body.replaceChildren(page);
  render(problemMessage(problem, retry), page);
  document.documentElement.hidden = false;
}

/** In another tab, so that nothing on the page is lost. True when the person came back, and goes on. */
async function askToSignIn(title: string, text: string): Promise<boolean> {
  const isBack = await openDialog<true>(
    title,
    (close) => html`<p>${text}</p>
      <div class="buttons">
        <a class="button" href="/console?sign-in" target="_blank">${shared.signIn}</a>
        <button type="button" class="second" @click=${() => close(true)}>${shared.goOn}</button>
      </div>`,
  );
  return isBack === true;
}

export const session = new Session();

/** The public API, as the person who is signed in. */
export const api = {
  get: async <Body>(path: string, options?: RequestOptions): Promise<Body> =>
    (await session.request<Body>('GET', path, options)).body,
  /** With its version, for a change that must not undo somebody else's. */
  read: <Body>(path: string, options?: RequestOptions): Promise<Answer<Body>> => session.request<Body>('GET', path, options),
  post: async <Body>(path: string, body?: unknown, options?: RequestOptions): Promise<Body> =>
    (await session.request<Body>('POST', path, { ...options, body })).body,
  patch: async <Body>(path: string, body: unknown, options?: RequestOptions): Promise<Body> =>
    (await session.request<Body>('PATCH', path, { ...options, body })).body,
  put: async <Body>(path: string, body?: unknown, options?: RequestOptions): Promise<Body> =>
    (await session.request<Body>('PUT', path, { ...options, body })).body,
  delete: async (path: string, options?: RequestOptions): Promise<void> => {
    await session.request('DELETE', path, options);
  },
};
