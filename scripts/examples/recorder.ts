// Calls a service and keeps one example of each operation: what was sent, and what was answered.

interface Operation {
  readonly operationId: string;
  readonly requestBody?: unknown;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export interface OperationExample {
  request?: unknown;
  answers?: Record<string, unknown>;
}

export interface ExampleRequest {
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Another example of the operation is kept. */
  readonly unrecorded?: boolean;
}

/** Lists are as long as it takes to see that they are lists. */
const MOST = 2;

export class Recorder {
  readonly examples: Record<string, OperationExample> = {};
  readonly #base: string;
  readonly #operations: readonly {
    readonly method: string;
    readonly pattern: RegExp;
    readonly id: string;
    readonly weight: number;
  }[];
  headers: Readonly<Record<string, string>> = {};

  constructor(base: string, document: unknown) {
    this.#base = base;
    this.#operations = Object.entries((document as Document).paths)
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { operationId }]) => ({
          method: method.toUpperCase(),
          pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
          id: operationId,
          weight: path.split('{').length,
        })),
      )
      .sort((one, other) => one.weight - other.weight);
  }

  #idOf(method: string, path: string): string {
    const [plain = ''] = path.split('?', 1);
    const found = this.#operations.find((one) => one.method === method && one.pattern.test(plain));
    if (!found) throw new Error(`${method} ${path} is no operation`);
    return found.id;
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers of every operation; a wrong field fails the next call
  async call(method: string, path: string, sent: ExampleRequest = {}): Promise<any> {
    const { body, form, headers } = sent;
    const type = form
      ? 'application/x-www-form-urlencoded'
      : path.startsWith('/scim/')
        ? 'application/scim+json'
        : 'application/json';
    const answer = await fetch(this.#base + path, {
      method,
      redirect: 'manual',
      headers: { ...this.headers, ...(body || form ? { 'Content-Type': type } : {}), ...headers },
      ...(form ? { body: new URLSearchParams(form) } : body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    const isJson = /json/.test(answer.headers.get('content-type') ?? '') && text !== '';
    const value = isJson ? (JSON.parse(text) as unknown) : undefined;
    if (!sent.unrecorded) this.#keep(this.#idOf(method, path), form ?? body, answer.status, value);
    return Object.assign(Array.isArray(value) ? [...value] : { ...(value as object) }, { headers: answer.headers }) as never;
  }

  /** A request whose answer is a page or a redirection. */
  addExample(method: string, path: string, request: unknown, answers?: Record<string, unknown>): void {
    this.examples[this.#idOf(method, path)] = { ...(request === undefined ? {} : { request }), ...(answers ? { answers } : {}) };
  }

  #keep(id: string, request: unknown, status: number, answer: unknown): void {
    this.examples[id] ??= {};
    const example = this.examples[id];
    if (request !== undefined) example.request ??= request;
    if (answer === undefined) return;
    example.answers ??= {};
    example.answers[status] ??= shortened(answer);
  }
}

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) {
    const isLong = value.length > MOST && value.every((one) => typeof one === 'object');
    return (isLong ? value.slice(0, MOST) : value).map(shortened);
  }
  if (typeof value !== 'object' || value === null) return value;
  // Members of SCIM groups have a field $ref, which tools take for a reference of the document.
  const entries = Object.entries(value).filter(([key]) => key !== '$ref');
  return Object.fromEntries(entries.map(([key, one]) => [key, shortened(one)]));
}

/** What probes answer while the database does not: derived from a good answer. */
export function failingProbes({ examples }: Recorder): void {
  examples.getLivez!.answers!['503'] = { status: 'unavailable' };
  const { checks } = examples.getReadyz!.answers!['200'] as { checks: Record<string, unknown> };
  examples.getReadyz!.answers!['503'] = {
    status: 'unavailable',
    checks: { ...checks, database: { status: 'unavailable', latencyMs: 1 } },
  };
}

/** The document itself, of which an example shows the beginning. */
export function documentOf(api: Recorder): void {
  const info = { title: 'Gatehouse', version: '0.1.0' };
  api.addExample('GET', '/openapi.json', undefined, { 200: { openapi: '3.1.0', info, paths: {} } });
}
