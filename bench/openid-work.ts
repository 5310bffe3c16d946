// What applications ask an OpenID provider, as requests to send, for Gatehouse and for Keycloak. People sign in as in a browser.
import { type LoadRequest, type LoadTarget, load, type Sample, type Values } from './load.ts';
import { CALLBACK, type Person, SignIn } from './sign-in.ts';

/** Where a provider has its endpoints. */
export interface Endpoints {
  readonly authorization: string;
  readonly token: string;
  readonly userinfo: string;
  readonly introspection: string;
  readonly par: string;
}

export interface Application {
  readonly id: string;
  readonly secret: string;
}

export interface OpenidService extends LoadTarget {
  readonly endpoints: Endpoints;
  readonly application: Application;
  readonly people: readonly Person[];
  /** What gives an application a refresh token. */
  readonly refreshScope: string;
}

export const OPENID_OPERATIONS = {
  'client credentials': 'Get a token by client credentials',
  code: 'Redeem an authorization code',
  refresh: 'Refresh',
  'user information': 'User information',
  introspection: 'Introspect a token',
  pushed: 'Push an authorization request',
  'sign-in': 'Begin a sign-in',
} as const;
export type OpenidOperation = keyof typeof OPENID_OPERATIONS;

const FORM = 'application/x-www-form-urlencoded';
/** How many of what is made before a measurement. The codes last for a second or two. */
export interface Counts {
  readonly tokens: number;
  readonly codes: number;
  readonly refresh: number;
}
const COUNTS: Counts = { tokens: 32, codes: 1200, refresh: 96 };

const pathOf = (url: string): string => new URL(url).pathname;

export class OpenidWork {
  readonly #service: OpenidService;
  readonly #signIns: readonly SignIn[];
  readonly #counts: Counts;
  readonly requests: Readonly<Record<OpenidOperation, readonly LoadRequest[]>>;

  private constructor(service: OpenidService, signIns: readonly SignIn[], counts: Counts, tokens: readonly string[]) {
    this.#service = service;
    this.#counts = counts;
    this.#signIns = signIns;
    const { endpoints } = service;
    const form = (url: string, text: string): LoadRequest => ({
      method: 'POST',
      path: pathOf(url),
      headers: this.#headers,
      text,
    });
    const authorization = new URL(this.#authorization('openid profile email'));
    this.requests = {
      'client credentials': [form(endpoints.token, 'grant_type=client_credentials')],
      code: [form(endpoints.token, `grant_type=authorization_code&redirect_uri=${encodeURIComponent(CALLBACK)}&code={value}`)],
      refresh: [form(endpoints.token, 'grant_type=refresh_token&refresh_token={value}')],
      'user information': tokens.map((token) => ({
        method: 'GET',
        path: pathOf(endpoints.userinfo),
        headers: { Authorization: `Bearer ${token}` },
      })),
      introspection: tokens.map((token) => form(endpoints.introspection, `token=${token}`)),
      pushed: [form(endpoints.par, authorization.searchParams.toString())],
      'sign-in': [
        {
          method: 'GET',
          path: authorization.pathname + authorization.search,
          headers: { Accept: 'text/html', Host: authorization.host },
        },
      ],
    };
  }

  static async of(service: OpenidService, counts = COUNTS): Promise<OpenidWork> {
    const signIns = service.people.map((person) => new SignIn(person));
    const work = new OpenidWork(service, signIns, counts, []);
    const tokens: string[] = [];
    for (const code of await work.#codes(counts.tokens, 'openid profile email'))
      tokens.push((await work.#tokens({ grant_type: 'authorization_code', redirect_uri: CALLBACK, code })).access_token!);
    return new OpenidWork(service, signIns, counts, tokens);
  }

  get #headers(): Record<string, string> {
    const { id, secret } = this.#service.application;
    return { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`, 'Content-Type': FORM };
  }

  #authorization(scope: string): string {
    const query = new URLSearchParams({
      client_id: this.#service.application.id,
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope,
      state: 'bench',
      // A refresh token that outlives the session must be agreed to (OpenID Connect Core, 11).
      ...(scope.includes('offline_access') ? { prompt: 'consent' } : {}),
    });
    return `${this.#service.endpoints.authorization}?${query}`;
  }

  /** Of people who are signed in. */
  async #codes(count: number, scope: string): Promise<string[]> {
    const each = async (signIn: SignIn, n: number): Promise<string[]> => {
      const codes: string[] = [];
      for (let made = n; made < count; made += this.#signIns.length) {
        const answer = await signIn.authorize(this.#authorization(scope));
        codes.push(answer.get('code') ?? `no code: ${answer}`);
      }
      return codes;
    };
    return (await Promise.all(this.#signIns.map(each))).flat();
  }

  async #tokens(body: Record<string, string>): Promise<Readonly<Record<string, string>>> {
    const response = await fetch(this.#service.endpoints.token, {
      method: 'POST',
      headers: this.#headers,
      body: new URLSearchParams(body),
    });
    const answer = (await response.json()) as Record<string, string>;
    if (!response.ok) throw new Error(`no tokens: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }

  /** What is good once is made before the measurement. */
  async valuesOf(operation: OpenidOperation): Promise<Values | undefined> {
    if (operation === 'code') return { values: await this.#codes(this.#counts.codes, 'openid profile email') };
    if (operation !== 'refresh') return undefined;
    const values: string[] = [];
    for (const code of await this.#codes(this.#counts.refresh, this.#service.refreshScope))
      values.push((await this.#tokens({ grant_type: 'authorization_code', redirect_uri: CALLBACK, code })).refresh_token!);
    return { values, next: '"refresh_token":"([^"]+)"' };
  }

  async measure(operation: OpenidOperation, seconds: number, connections: number): Promise<Sample> {
    const values = await this.valuesOf(operation);
    return load(this.#service, this.requests[operation], { seconds, connections }, values);
  }
}
