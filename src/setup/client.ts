// A client of the public API, with the token of an administrator.
import { setTimeout } from 'node:timers/promises';
import { forEachConcurrently } from '../platform/for-each-concurrently.ts';
import { createOutbound, hostPort, type OutboundAnswer, OutboundError, type OutboundMethod } from '../platform/outbound/index.ts';
import { version } from '../version.ts';
import type { Credentials } from './credentials.ts';
import { SetupError, shown } from './text.ts';

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 32 * 1024 * 1024;
const CONCURRENCY = 6;
const MAX_TRIES = 5;
const MAX_WAIT_SECONDS = 10;
const METHODS: readonly OutboundMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

// The bodies of the API are checked by the API; what is read here is read field by field.
export type Body = Readonly<Record<string, unknown>>;

/** An answer that is no success. */
export class Refusal extends SetupError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface Client {
  readonly url: string;
  readonly me: Me;
  get(path: string): Promise<{ readonly body: Body; readonly etag: string | undefined }>;
  /** Undefined if there is none. */
  find(path: string): Promise<Body | undefined>;
  /** All pages. */
  list(path: string, name: string): Promise<Body[]>;
  send(method: OutboundMethod, path: string, body?: unknown, etag?: string): Promise<Body>;
  /** Reads of many things, some at a time, in the given order. */
  each<T, R>(items: readonly T[], read: (item: T) => Promise<R>): Promise<R[]>;
  /** Ends the token, if it was made for this. */
  end(): Promise<void>;
}

type Call = (
  method: OutboundMethod,
  path: string,
  request?: { readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown },
) => Promise<OutboundAnswer>;

/** Who calls. */
export interface Me {
  readonly userId: string;
  readonly projectId: string | undefined;
  readonly domainId: string | undefined;
  /** Those of the token, with what they imply. */
  readonly roleIds: ReadonlySet<string>;
}

function messageOf({ status, body }: OutboundAnswer): string {
  try {
    const { error } = JSON.parse(body.toString()) as { error?: { message?: unknown } };
    if (typeof error?.message === 'string') return `${status}: ${shown(error.message, false)}`;
  } catch {
    // No answer of a Gatehouse, such as a page of a proxy.
  }
  return `${status}`;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What may be called: exactly the host of the service. Without TLS only on this machine, or where a setting allows it. */
function exceptionsFor(url: string, allowed: readonly string[]): readonly string[] {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || LOOPBACK.has(hostname) ? [hostPort(url)] : allowed;
}

export async function connect(credentials: Credentials): Promise<Client> {
  const { url } = credentials;
  const outbound = createOutbound(exceptionsFor(url, credentials.outboundAllow), { methods: METHODS });

  const call: Call = async (method, path, { headers, body } = {}) => {
    try {
      return await outbound({
        method,
        url: `${url}${path}`,
        headers: {
          Accept: 'application/json',
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
        kind: `setup ${version}`,
      });
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const plain = error.kind === 'blocked' ? '; use https, or set GATEHOUSE_OUTBOUND_ALLOW' : '';
      throw new SetupError(`${shown(url, false)}: ${shown(error.message, false)}${plain}`);
    }
  };
  const bodyOf = (answer: OutboundAnswer, path: string): Body => {
    if (answer.status < 200 || answer.status > 299)
      throw new Refusal(answer.status, `${shown(path.split('?')[0]!, false)}: ${messageOf(answer)}`);
    if (answer.body.length === 0) return {};
    try {
      return JSON.parse(answer.body.toString()) as Body;
    } catch {
      throw new SetupError(
        `${shown(url, false)}${shown(path, false)}: the answer is not JSON; is this the address of the service?`,
      );
    }
  };

  const token = credentials.token ?? (await logIn(credentials, call));
  const auth = { 'X-Auth-Token': token };
  /** While a database fails over, the service answers 503. Reading can wait for it; a change is left to the operator. */
  const read = async (path: string): Promise<OutboundAnswer> => {
    for (let tries = 1; ; tries++) {
      const answer = await call('GET', path, { headers: auth });
      if (answer.status !== 503 || tries === MAX_TRIES) return answer;
      await setTimeout(Math.min(Number(answer.headers['retry-after']) || 1, MAX_WAIT_SECONDS) * 1000);
    }
  };
  const get = async (path: string) => {
    const answer = await read(path);
    return { body: bodyOf(answer, path), etag: answer.headers.etag as string | undefined };
  };

  return {
    url,
    me: await readMe(call, token),
    get,
    async find(path) {
      const answer = await read(path);
      return answer.status === 404 ? undefined : bodyOf(answer, path);
    },
    async list(path, name) {
      const items: Body[] = [];
      for (let marker: string | undefined, page = 0; ; page++) {
        const at = marker === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}marker=${encodeURIComponent(marker)}`;
        const { body } = await get(at);
        items.push(...((body[name] ?? []) as Body[]));
        const next = (body.links as { next?: string | null } | undefined)?.next;
        const following = next ? (URL.parse(next)?.searchParams.get('marker') ?? undefined) : undefined;
        if (following === undefined) return items;
        if (following === marker || page > 100_000) throw new SetupError(`${path}: the pages do not end`);
        marker = following;
      }
    },
    send: async (method, path, body, etag) => {
      const headers = etag === undefined ? auth : { ...auth, 'If-Match': etag };
      return bodyOf(await call(method, path, { headers, body }), path);
    },
    async each(items, read) {
      const results: Awaited<ReturnType<typeof read>>[] = [];
      await forEachConcurrently(CONCURRENCY, [...items.entries()], async ([index, item]) => {
        results[index] = await read(item);
      });
      return results;
    },
    async end() {
      if (credentials.token !== undefined) return;
      await call('DELETE', '/v3/auth/tokens', { headers: { ...auth, 'X-Subject-Token': token } }).catch(() => undefined);
    },
  };
}

async function logIn({ url, login }: Credentials, call: Call): Promise<string> {
  const answer = await call('POST', '/v3/auth/tokens', { body: login });
  const token = answer.headers['x-subject-token'];
  if (answer.status === 201 && typeof token === 'string') return token;
  throw new SetupError(`${shown(url, false)}: signing in failed: ${messageOf(answer)}`);
}

async function readMe(call: Call, token: string): Promise<Me> {
  const answer = await call('GET', '/v3/auth/tokens', { headers: { 'X-Auth-Token': token, 'X-Subject-Token': token } });
  if (answer.status !== 200) throw new SetupError(`the token is not accepted: ${messageOf(answer)}`);
  const { token: own } = JSON.parse(answer.body.toString()) as {
    token: { user: { id: string }; project?: { id: string }; domain?: { id: string }; roles?: { id: string }[] };
  };
  const roleIds = new Set(own.roles?.map(({ id }) => id));
  return { userId: own.user.id, projectId: own.project?.id, domainId: own.domain?.id, roleIds };
}
