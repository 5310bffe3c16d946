// Requests to the API of the same service: retries of reads, errors as objects that a screen can show.

/** The service refused a request. `message` is the service's own text. */
export class ApiError extends Error {
  readonly status: number;
  /** A stable name of the error, where the API has one. */
  readonly code: string | undefined;
  readonly retryAfter: number | undefined;
  /** The request needs a login that is not older than this, in seconds. */
  readonly maxAge: number | undefined;
  /** The field that is wrong, where the API names it apart from the text. */
  readonly field: string | undefined;

  constructor(
    status: number,
    message: string,
    {
      code,
      retryAfter,
      maxAge,
      field,
    }: {
      code?: string | undefined;
      retryAfter?: number | undefined;
      maxAge?: number | undefined;
      field?: string | undefined;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
    this.maxAge = maxAge;
    this.field = field;
  }
}

/** No answer: the network or the service is away. A change may or may not have been made. */
export class NetworkError extends Error {
  /** Nothing was to be changed. */
  readonly isRead: boolean;

  constructor(message: string, isRead: boolean) {
    super(message);
    this.isRead = isRead;
  }
}

/** Somebody else changed the thing since it was read. Nothing was written. */
export class ConflictError extends ApiError {}

/** The person is not signed in any more. */
export class SignedOutError extends Error {}

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** The version that a change is based on; the service refuses it if there is a newer one. */
  readonly ifMatch?: string | undefined;
}

export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
  /** The version of what was read. */
  readonly etag: string | undefined;
}

const RETRIES = 2;
const FIRST_WAIT_MS = 400;
const PATIENCE_S = 2;
const TIMEOUT_MS = 30_000;

const wait = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

function urlOf(path: string, query: RequestOptions['query'] = {}): string {
  const url = new URL(path, window.location.origin);
  // An address from an answer (`links.next`) must not lead a token elsewhere.
  if (url.origin !== window.location.origin) throw new TypeError('address of another origin');
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value));
  return url.href;
}

/** The text of an error in the formats of our APIs: Keystone's, problem details, SCIM's, OAuth's. */
function errorOf(status: number, body: unknown, headers: Headers): ApiError {
  const seconds = Number(headers.get('Retry-After'));
  const { error, detail, code, message, error_description, errors } = (body ?? {}) as {
    error?: { message?: string; identity?: unknown; code_name?: string; max_age?: number } | string;
    detail?: string;
    code?: string;
    message?: string;
    error_description?: string;
    errors?: readonly { readonly field: string }[];
  };
  const text = (typeof error === 'object' ? error.message : error_description) ?? detail ?? message ?? `HTTP ${status}`;
  const options = {
    code: typeof code === 'string' ? code : undefined,
    retryAfter: seconds > 0 ? seconds : undefined,
    maxAge: typeof error === 'object' ? error.max_age : undefined,
    field: errors?.[0]?.field,
  };
  return status === 412 ? new ConflictError(status, text, options) : new ApiError(status, text, options);
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  return /\bjson\b/.test(response.headers.get('Content-Type') ?? '') ? JSON.parse(text) : text;
}

async function sendOnce(
  method: string,
  url: string,
  { body, headers, signal, ifMatch }: RequestOptions,
): Promise<Answer<unknown>> {
  let response: Response;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const raw = body instanceof Blob;
  try {
    response = await fetch(url, {
      method,
      headers: {
        Accept: 'application/json',
        ...(body === undefined || raw ? {} : { 'Content-Type': 'application/json' }),
        ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      cache: 'no-store',
      redirect: 'error',
    });
    const answer = await bodyOf(response);
    if (!response.ok) throw errorOf(response.status, answer, response.headers);
    return { status: response.status, body: answer, headers: response.headers, etag: response.headers.get('ETag') ?? undefined };
  } catch (error) {
    if (error instanceof ApiError || signal?.aborted) throw error;
    throw new NetworkError(String(error), method === 'GET');
  }
}

/** Reads are tried again when the service is away or busy. Changes are not: they may have been made. */
export async function send<Body>(method: string, path: string, options: RequestOptions = {}): Promise<Answer<Body>> {
  const url = urlOf(path, options.query);
  for (let attempt = 0; ; attempt++) {
    try {
      return (await sendOnce(method, url, options)) as Answer<Body>;
    } catch (error) {
      const isAway =
        error instanceof NetworkError || (error instanceof ApiError && (error.status === 503 || error.status === 502));
      // Whoever asks for more patience is not asked again behind the person's back.
      const asksForPause = error instanceof ApiError && (error.retryAfter ?? 0) > PATIENCE_S;
      if (method !== 'GET' || !isAway || asksForPause || attempt === RETRIES) throw error;
      await wait(FIRST_WAIT_MS * 2 ** attempt, options.signal);
    }
  }
}
