// Requests as data. `{name}` in a path, a header or a body stands for what an earlier answer was kept under, on each service its own.

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  /** Whose token is sent: a persona of areas/setup.ts, or `nobody`. */
  readonly as: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string;
  /** Over the usual ones. An empty one is not sent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What later requests use: the name, and where it is in the answer (`user.id`, `roles.0.id`, `header x-subject-token`). */
  readonly keep?: Readonly<Record<string, string>>;
}

export interface Area {
  readonly title: string;
  readonly requests: readonly ApiRequest[];
}

export type Extra = Partial<Pick<ApiRequest, 'as' | 'raw' | 'headers' | 'keep'>>;

const plain =
  (method: string) =>
  (path: string, extra: Extra = {}): ApiRequest => ({ as: 'admin', method, path, ...extra });
const withBody =
  (method: string) =>
  (path: string, body?: unknown, extra: Extra = {}): ApiRequest => ({
    as: 'admin',
    method,
    path,
    ...(body === undefined ? {} : { body }),
    ...extra,
  });

export const get = plain('GET');
export const head = plain('HEAD');
export const del = plain('DELETE');
export const preflight = plain('OPTIONS');
export const post = withBody('POST');
export const put = withBody('PUT');
export const patch = withBody('PATCH');

/** The same requests with another token. */
export const as = (persona: string, ...requests: readonly ApiRequest[]): ApiRequest[] =>
  requests.map((request) => ({ ...request, as: persona }));

export const PASSWORD = 'a password of the comparison';

/** POST /v3/auth/tokens with a password. */
export const passwordLogin = (user: object, scope?: unknown, extra: Extra = {}): ApiRequest =>
  post(
    '/v3/auth/tokens',
    { auth: { identity: { methods: ['password'], password: { user } }, ...(scope === undefined ? {} : { scope }) } },
    { as: 'nobody', ...extra },
  );

/** Logs in; the token is that of the persona from now on. */
export const become = (persona: string, userId: string, scope?: unknown): ApiRequest =>
  passwordLogin({ id: userId, password: PASSWORD }, scope, { keep: { [`token of ${persona}`]: 'header x-subject-token' } });
