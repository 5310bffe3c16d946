// Bulk operations (RFC 7644, 3.7), ordered so that a bulkId is created before it is referenced. One that fails undoes no other. People who are created one
// after the other share a transaction; everything else runs on its own.
import { setImmediate } from 'node:timers/promises';
import { withDeadline } from '../../../../platform/deadline.ts';
import { Fault } from '../../../../platform/faults/index.ts';
import { fail, fault } from '../../../ground/faults.ts';
import type { ScimJsonObject } from '../core/attribute.ts';
import { scimErrors } from './error-format.ts';
import { BULK } from './service-provider.ts';

const REQUEST = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
const RESPONSE = 'urn:ietf:params:scim:api:messages:2.0:BulkResponse';
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

export interface BulkOperation {
  readonly method: (typeof METHODS)[number];
  readonly path: string;
  readonly bulkId: string | undefined;
  readonly data: unknown;
  /** Like If-Match. */
  readonly version: string | undefined;
}

export interface BulkOutcome {
  readonly status: number;
  readonly location?: string;
  readonly version?: string;
}

export interface BulkRequest {
  readonly failOnErrors: number;
  readonly operations: readonly BulkOperation[];
}

const optionalText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function readOperation(raw: ScimJsonObject): BulkOperation {
  const method = METHODS.find((one) => one === optionalText(raw.method)?.toUpperCase());
  const path = optionalText(raw.path);
  if (!method) fail('scim.invalid_syntax', { why: `method must be one of ${METHODS.join(', ')}` });
  if (path === undefined) fail('scim.invalid_syntax', { why: 'an operation needs a path' });
  const bulkId = optionalText(raw.bulkId);
  if (method === 'POST' && !bulkId) fail('scim.invalid_syntax', { why: 'a POST needs a bulkId' });
  return { method, path, bulkId, data: raw.data, version: optionalText(raw.version) };
}

export function readBulk(body: ScimJsonObject): BulkRequest {
  const { schemas, Operations: operations, failOnErrors = 0 } = body;
  if (!Array.isArray(schemas) || !schemas.includes(REQUEST))
    fail('scim.invalid_syntax', { why: `schemas must contain ${REQUEST}` });
  if (!Array.isArray(operations) || operations.length === 0)
    fail('scim.invalid_syntax', { why: 'Operations must be a list that is not empty' });
  if (operations.length > BULK.maxOperations) fail('scim.bulk_too_large', { limit: BULK.maxOperations });
  if (typeof failOnErrors !== 'number' || !Number.isInteger(failOnErrors) || failOnErrors < 0)
    fail('scim.invalid_value', { name: 'failOnErrors', why: 'it must be a number of at least 0' });
  const read = operations.map((raw) =>
    typeof raw === 'object' && raw !== null
      ? readOperation(raw as ScimJsonObject)
      : fail('scim.invalid_syntax', { why: 'an operation must be an object' }),
  );
  checkUniqueIds(read);
  return { failOnErrors, operations: read };
}

/** A reference to a repeated bulkId would be ambiguous. */
function checkUniqueIds(operations: readonly BulkOperation[]): void {
  const seen = new Set<string>();
  for (const { method, bulkId } of operations) {
    if (method !== 'POST' || bulkId === undefined) continue;
    if (seen.has(bulkId)) fail('scim.invalid_syntax', { why: `the bulkId "${bulkId.slice(0, 100)}" is given twice` });
    seen.add(bulkId);
  }
}

const REFERENCE = /bulkId:([\w.-]+)/g;

const referencesOf = ({ path, data }: BulkOperation): string[] =>
  [...`${path} ${JSON.stringify(data ?? null)}`.matchAll(REFERENCE)].map(([, id]) => id!);

/** Replaces every `bulkId:x` by the id of the created resource. */
function resolveReferences(operation: BulkOperation, ids: ReadonlyMap<string, string>): BulkOperation {
  const idOf = (_: string, name: string): string => ids.get(name) ?? fail('scim.bulk_reference', { id: name });
  const replaced = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(REFERENCE, idOf);
    if (Array.isArray(value)) return value.map(replaced);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaced(inner)]));
  };
  return { ...operation, path: operation.path.replace(REFERENCE, idOf), data: replaced(operation.data) };
}

/** Referenced operations come first. In a circle, references fail. */
function executionOrder(operations: readonly BulkOperation[]): number[] {
  const creators = new Map(
    operations.flatMap(({ method, bulkId }, at) => (method === 'POST' && bulkId ? [[bulkId, at] as const] : [])),
  );
  const order: number[] = [];
  const state = new Map<number, 'open' | 'done'>();
  const stack: { at: number; left: string[] }[] = [];
  const open = (at: number): void => {
    state.set(at, 'open');
    stack.push({ at, left: referencesOf(operations[at]!) });
  };
  for (const start of operations.keys()) {
    if (!state.has(start)) open(start);
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const reference = top.left.pop();
      if (reference === undefined) {
        stack.pop();
        state.set(top.at, 'done');
        order.push(top.at);
      } else {
        const needed = creators.get(reference);
        if (needed !== undefined && !state.has(needed)) open(needed);
      }
    }
  }
  return order;
}

/** What a resource is created from together with others. */
export type Prepared = Readonly<Record<never, never>>;
type Done = BulkOutcome & { id?: string };

export interface BulkWorker<P extends Prepared> {
  perform(operation: BulkOperation): Promise<Done>;
  /** For a creation: checks it as `perform` would. Undefined if it has to be performed alone. */
  prepare(operation: BulkOperation): Promise<P | undefined>;
  /**
   * Creates them in one transaction; for each, in their order, what became of it. After `mostErrors` errors, if not 0, the rest is left out. Undefined if nothing was
   * done and they have to be performed one by one.
   */
  createTogether(prepared: readonly (P | Fault)[], mostErrors: number): Promise<readonly (Done | Fault)[] | undefined>;
  /** The URL of the resource, also for a failed operation; undefined for a resource that does not exist yet. */
  locate(operation: BulkOperation): string | undefined;
  /** Also logs unexpected errors. */
  toFault(error: unknown): Fault;
  record(operation: BulkOperation, refusal: Fault): void;
}

/** Created in one transaction: enough to share its cost, and few enough that others do not wait long for its locks. */
const TOGETHER = 100;
const PREPARED_AT_ONCE = 25;

const UNEXPECTED = 500;

/** Runs the operations. The results are in the order of the request. */
class BulkRun<P extends Prepared> {
  readonly #request: BulkRequest;
  readonly #worker: BulkWorker<P>;
  readonly #ids = new Map<string, string>();
  readonly #results = new Map<number, unknown>();
  #errors = 0;
  /** Creations to be done together. */
  #waiting: { readonly at: number; readonly prepared: P | Fault }[] = [];

  constructor(request: BulkRequest, worker: BulkWorker<P>) {
    this.#request = request;
    this.#worker = worker;
  }

  get #isOver(): boolean {
    return this.#errors > 0 && this.#errors === this.#request.failOnErrors;
  }

  async run(): Promise<unknown> {
    for (const at of executionOrder(this.#request.operations)) {
      const prepared = await this.#prepare(at);
      if (prepared) this.#waiting.push({ at, prepared });
      if (!prepared || this.#waiting.length === TOGETHER) await this.#createTogether();
      if (!prepared && !this.#isOver) await this.#performAlone(at);
      if (this.#isOver) break;
    }
    if (!this.#isOver) await this.#createTogether();
    const ordered = [...this.#results.entries()].sort(([a], [b]) => a - b).map(([, result]) => result);
    return { schemas: [RESPONSE], Operations: ordered };
  }

  /** What refers to another operation may have to wait for it. */
  async #prepare(at: number): Promise<P | Fault | undefined> {
    const operation = this.#request.operations[at]!;
    if (operation.method !== 'POST' || referencesOf(operation).length > 0) return undefined;
    // Others get their turn: nothing is waited for here.
    if (this.#waiting.length % PREPARED_AT_ONCE === PREPARED_AT_ONCE - 1) await setImmediate();
    try {
      return await withDeadline(() => this.#worker.prepare(operation));
    } catch (error) {
      return this.#worker.toFault(error);
    }
  }

  async #performAlone(at: number): Promise<void> {
    let operation = this.#request.operations[at]!;
    try {
      operation = resolveReferences(operation, this.#ids);
      this.#note(at, operation, await withDeadline(() => this.#worker.perform(operation)));
    } catch (error) {
      this.#note(at, operation, this.#worker.toFault(error));
    }
  }

  async #createTogether(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0) return;
    const outcomes = await this.#outcomesOf(waiting.map(({ prepared }) => prepared));
    for (const [index, { at }] of waiting.entries()) {
      if (this.#isOver) return;
      const outcome = outcomes?.[index];
      if (outcome) this.#note(at, this.#request.operations[at]!, outcome);
      else await this.#performAlone(at);
    }
  }

  async #outcomesOf(prepared: readonly (P | Fault)[]): Promise<readonly (Done | Fault)[] | undefined> {
    const mostErrors = Math.max(0, this.#request.failOnErrors - this.#errors);
    try {
      return await withDeadline(() => this.#worker.createTogether(prepared, mostErrors));
    } catch (error) {
      const refusal = this.#worker.toFault(error);
      // The database refused one of them, which nobody foresaw: nothing is stored, and that one must not undo the others.
      if (refusal.status === UNEXPECTED) return undefined;
      return prepared.map((one) => (one instanceof Fault ? one : refusal));
    }
  }

  #note(at: number, operation: BulkOperation, outcome: Done | Fault): void {
    const { method, bulkId } = this.#request.operations[at]!;
    if (outcome instanceof Fault) {
      this.#worker.record(operation, outcome);
      this.#errors++;
      const location = this.#worker.locate(operation);
      const response = scimErrors(outcome, '', '').body;
      this.#results.set(at, { method, bulkId, location, status: String(outcome.status), response });
      return;
    }
    const { id, status, location, version } = outcome;
    if (bulkId && id) this.#ids.set(bulkId, id);
    this.#results.set(at, { method, bulkId, version, location, status: String(status) });
  }
}

export const runBulk = <P extends Prepared>(request: BulkRequest, worker: BulkWorker<P>): Promise<unknown> =>
  new BulkRun(request, worker).run();

/** The reply hides internal errors; they are in the log. */
export const unexpectedFault = (): Fault => fault('server.unexpected');
