// Sends the requests to one service, in order, and keeps what later requests refer to.
import { request as httpRequest } from 'node:http';
import type { ApiRequest } from './request.ts';

export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** Parsed JSON, text if it is no JSON, undefined if empty. */
  readonly body: unknown;
}

/** An id that no service knows: of something that could not be created there. */
const UNKNOWN = 'never-created';

export class Peer {
  readonly url: string;
  readonly #names = new Map<string, string>();

  constructor(url: string, names: Readonly<Record<string, string>>) {
    this.url = url;
    for (const [name, value] of Object.entries(names)) this.#names.set(name, value);
  }

  /** The values of all names, the longest first: for texts that should show names instead of ids. */
  named(text: string): string {
    let result = text.replaceAll(this.url, '{url}');
    for (const [name, value] of this.#names) if (value.length >= 16) result = result.replaceAll(value, `{${name}}`);
    return result;
  }

  async send(request: ApiRequest): Promise<Answer> {
    const { method, as: persona, body, raw, headers = {}, keep = {} } = request;
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(this.#filled(body)));
    const sent = {
      ...(persona === 'nobody' ? {} : { 'x-auth-token': this.#valueOf(`token of ${persona}`) }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(this.#filled(headers) as Record<string, string>),
    };
    const answer = await exchange(this.url + this.#text(request.path), method, withoutEmpty(sent), payload);
    for (const [name, place] of Object.entries(keep)) {
      const value = found(answer, place);
      if (value !== undefined) this.#names.set(name, value);
    }
    return answer;
  }

  #valueOf = (name: string): string => this.#names.get(name) ?? UNKNOWN;

  #text = (text: string): string => text.replace(/\{([a-zA-Z][\w .-]*)\}/g, (_, name: string) => this.#valueOf(name));

  #filled(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.map((each) => this.#filled(each));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [this.#text(key), this.#filled(each)]));
  }
}

const withoutEmpty = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));

/** One connection for each request. Status 0: the service closed it without an answer. */
function exchange(url: string, method: string, headers: Record<string, string>, payload: string | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) };
    const sent = httpRequest(url, { method, headers: { ...headers, ...length }, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const known = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
        resolve({ status: response.statusCode ?? 0, headers: new Map(known), body: parsed(Buffer.concat(chunks).toString()) });
      });
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET') resolve({ status: 0, headers: new Map(), body: undefined });
      else reject(error);
    });
    sent.end(payload);
  });
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function found({ headers, body }: Answer, place: string): string | undefined {
  if (place.startsWith('header ')) return headers.get(place.slice('header '.length));
  const form = typeof body === 'string' && /^form (\w+)$/.exec(place);
  if (form) return new URLSearchParams(body as string).get(form[1]!) ?? undefined;
  const value = place.split('.').reduce<any>((at, key) => at?.[key], body);
  return typeof value === 'string' ? value : undefined;
}
