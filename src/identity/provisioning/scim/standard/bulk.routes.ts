// /scim/v2/Bulk: many operations in one request. Each is authorized by the rule of its own route.
import { Fault } from '../../../../platform/faults/index.ts';
import { outageOf, t } from '../../../../platform/http/index.ts';
import {
  type Caller,
  createAuthenticate,
  type IdentityApp,
  type OtherCallers,
  PROVISIONING,
} from '../../../access/rules/index.ts';
import type { NewPerson } from '../../../directory/users/index.ts';
import { fail } from '../../../ground/faults.ts';
import { type ResourceHandler, type ScimContext, type VersionedRow, versionOf } from '../core/handler.ts';
import { Message } from '../core/openapi.ts';
import { preconditionOf } from '../core/requests.ts';
import type { Scim } from '../core/scim.rules.ts';
import type { Rows, ScimTable } from '../core/scim.store.ts';
import { answer, contextOf, locationOf, ROOT, type ScimCall, tag } from './answers.ts';
import { type BulkOperation, type BulkWorker, readBulk, runBulk, unexpectedFault } from './bulk.ts';
import { BULK_DOCUMENTATION } from './documentation.ts';
import { type DomainContext, kinds, operationsOf, perform, prepareUser, type ResourceKind, users } from './operations.ts';
import { BULK } from './service-provider.ts';

const BulkReply = t.object({ schemas: t.array(t.string()), Operations: t.array(t.open({ status: t.string() })) });

/** The resource type in the path of a bulk operation, and the id if there is one. */
function parseBulkPath({ path }: BulkOperation): { kind: ResourceKind | undefined; id: string | undefined } {
  const [, endpoint, id] = /^\/(\w+)(?:\/([^/?]+))?$/.exec(path) ?? [];
  return { kind: kinds.find(({ type }) => type.endpoint === `/${endpoint}`), id };
}

const outcomeOf = <T extends ScimTable>(
  handler: ResourceHandler<T>,
  context: ScimContext,
  row: VersionedRow & { id: string },
  status: number,
) => ({
  id: row.id,
  status,
  location: locationOf(handler, context, row.id),
  version: versionOf(row),
});

/** Somebody who is created together with others. */
interface PreparedUser {
  readonly context: DomainContext;
  readonly person: NewPerson;
}

export interface BulkRouteDeps {
  readonly scim: Scim;
  readonly tokens: Parameters<typeof createAuthenticate>[0];
  readonly connections: OtherCallers & {
    /** For the list of the last requests of a connection. */
    recordOperation(call: Pick<ScimCall, 'headers' | 'requestId'>, operation: BulkOperation, refusal: Fault): void;
  };
}

export function mountBulk(app: IdentityApp, modules: BulkRouteDeps): void {
  /**
   * Asked again for each operation, as if it were a request of its own: the token of the caller may be revoked meanwhile, or limited to some
   * requests.
   */
  const callerNow = async ({ raw, headers, requestId }: ScimCall, { method, path }: BulkOperation): Promise<Caller> =>
    createAuthenticate(modules.tokens, modules.connections)({ raw, headers, requestId, path: ROOT + path, method }, PROVISIONING);

  async function performOne(call: ScimCall, operation: BulkOperation) {
    const { method, data, version } = operation;
    const { kind, id } = parseBulkPath(operation);
    if (!kind || (method === 'POST') !== (id === undefined))
      fail('scim.invalid_path', { path: operation.path.slice(0, 100), why: 'it leads to no resource' });
    const operations = operationsOf(kind, () => modules.scim);
    const handler = kind.handlerOf(modules.scim);
    const context = contextOf({ caller: await callerNow(call, operation), base: call.base });
    const request = { context, id, data, expect: preconditionOf(version) };
    const done = (row: Rows[ScimTable], status: number) => outcomeOf(handler, context, row, status);
    if (method === 'POST') return done(await perform(operations.create, request), 201);
    if (method === 'PUT') return done(await perform(operations.replace, request), 200);
    if (method === 'PATCH') return done(await perform(operations.patch, request), 200);
    await perform(operations.remove, request);
    return { status: 204, location: locationOf(handler, context, id!) };
  }

  async function prepare(call: ScimCall, operation: BulkOperation): Promise<PreparedUser | undefined> {
    const { kind, id } = parseBulkPath(operation);
    if (kind?.type !== users.type || id !== undefined) return undefined;
    const context = contextOf({ caller: await callerNow(call, operation), base: call.base });
    const person = await prepareUser(modules.scim, context, operation.data);
    return person && { context, person };
  }

  async function createTogether(prepared: readonly (PreparedUser | Fault)[], mostErrors: number) {
    const { scim } = modules;
    // All of them are of one caller, whose token was verified for each; this is the last time.
    const last = prepared.flatMap((one) => (one instanceof Fault ? [] : [one])).at(-1);
    if (!last) return prepared.filter((one) => one instanceof Fault);
    const { context } = last;
    const people = prepared.map((one) => (one instanceof Fault ? one : one.person));
    const created = await scim.users.createMany(context.caller, context.domainId, people, mostErrors);
    return created?.map((one) => (one instanceof Fault ? one : outcomeOf(scim.users, context, one, 201)));
  }

  app.post(
    `${ROOT}/Bulk`,
    {
      id: 'runScimBulk',
      summary: 'Run many operations',
      description: 'Each operation is checked by the rule of its own route. Operations may refer to each other by `bulkId`.',
      tag,
      access: PROVISIONING,
      rule: 'SCIM:bulk',
      body: Message,
      bodyLimit: BULK.maxPayloadSize,
      documentation: BULK_DOCUMENTATION,
      reply: { 200: BulkReply },
    },
    async (call) => {
      const toFault = (err: unknown): Fault => {
        if (err instanceof Fault) return err;
        modules.scim.log.error({ request_id: call.requestId, err }, 'bulk operation failed');
        return outageOf(err) ?? unexpectedFault();
      };
      const locate = (operation: BulkOperation): string | undefined => {
        const { kind, id } = parseBulkPath(operation);
        return kind && id !== undefined && operation.method !== 'POST' ? `${contextOf(call).base}${operation.path}` : undefined;
      };
      const worker: BulkWorker<PreparedUser> = {
        perform: (operation) => performOne(call, operation),
        prepare: (operation) => prepare(call, operation),
        createTogether,
        locate,
        toFault,
        record: (operation, refusal) => modules.connections.recordOperation(call, operation, refusal),
      };
      return answer(200, await runBulk(readBulk(call.body), worker));
    },
  );
}

t.name({ ScimBulkReply: BulkReply });
