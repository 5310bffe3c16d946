// Bulk operations (RFC 7644, 3.7): each runs on its own, ordered so that a bulkId is created before it is referenced.
import { withDeadline } from '../../../../platform/deadline.ts';
import type { Fault } from '../../../../platform/faults/index.ts';
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

export interface BulkWorker {
  perform(operation: BulkOperation): Promise<BulkOutcome & { id?: string }>;
  /** The URL of the resource, also for a failed operation; undefined for a resource that does not exist yet. */
  locate(operation: BulkOperation): string | undefined;
  /** Also logs unexpected errors, and records the operation. */
  toFault(error: unknown, operation: BulkOperation): Fault;
}

/** Runs the operations. The results are in the order of the request. */
export async function runBulk(
  { operations, failOnErrors }: BulkRequest,
  { perform, locate, toFault }: BulkWorker,
): Promise<unknown> {
  const ids = new Map<string, string>();
  const results = new Map<number, unknown>();
  let errors = 0;
  for (const at of executionOrder(operations)) {
    let operation = operations[at]!;
    const { method, bulkId } = operation;
    try {
      operation = resolveReferences(operation, ids);
      const { id, status, location, version } = await withDeadline(() => perform(operation));
      if (bulkId && id) ids.set(bulkId, id);
      results.set(at, { method, bulkId, version, location, status: String(status) });
    } catch (error) {
      const refusal = toFault(error, operation);
      const location = locate(operation);
      results.set(at, { method, bulkId, location, status: String(refusal.status), response: scimErrors(refusal, '', '').body });
      if (++errors === failOnErrors) break;
    }
  }
  const ordered = [...results.entries()].sort(([a], [b]) => a - b).map(([, result]) => result);
  return { schemas: [RESPONSE], Operations: ordered };
}

/** The reply hides internal errors; they are in the log. */
export const unexpectedFault = (): Fault => fault('server.unexpected');
