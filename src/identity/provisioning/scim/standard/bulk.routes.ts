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
import { fail } from '../../../ground/faults.ts';
import { versionOf } from '../core/handler.ts';
import { Message } from '../core/openapi.ts';
import { preconditionOf } from '../core/requests.ts';
import type { Scim } from '../core/scim.rules.ts';
import type { Rows, ScimTable } from '../core/scim.store.ts';
import { answer, contextOf, locationOf, ROOT, type ScimCall, tag } from './answers.ts';
import { type BulkOperation, readBulk, runBulk, unexpectedFault } from './bulk.ts';
import { BULK_DOCUMENTATION } from './documentation.ts';
import { kinds, operationsOf, perform, type ResourceKind } from './operations.ts';
import { BULK } from './service-provider.ts';

const BulkReply = t.object({ schemas: t.array(t.string()), Operations: t.array(t.open({ status: t.string() })) });

/** The resource type in the path of a bulk operation, and the id if there is one. */
function parseBulkPath({ path }: BulkOperation): { kind: ResourceKind | undefined; id: string | undefined } {
  const [, endpoint, id] = /^\/(\w+)(?:\/([^/?]+))?$/.exec(path) ?? [];
  return { kind: kinds.find(({ type }) => type.endpoint === `/${endpoint}`), id };
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
    const outcome = (row: Rows[ScimTable], status: number) => ({
      id: row.id,
      status,
      location: locationOf(handler, context, row.id),
      version: versionOf(row),
    });
    if (method === 'POST') return outcome(await perform(operations.create, request), 201);
    if (method === 'PUT') return outcome(await perform(operations.replace, request), 200);
    if (method === 'PATCH') return outcome(await perform(operations.patch, request), 200);
    await perform(operations.remove, request);
    return { status: 204, location: locationOf(handler, context, id!) };
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
      const refusalOf = (err: unknown): Fault => {
        if (err instanceof Fault) return err;
        modules.scim.log.error({ request_id: call.requestId, err }, 'bulk operation failed');
        return outageOf(err) ?? unexpectedFault();
      };
      const toFault = (err: unknown, operation: BulkOperation): Fault => {
        const refusal = refusalOf(err);
        modules.connections.recordOperation(call, operation, refusal);
        return refusal;
      };
      const locate = (operation: BulkOperation): string | undefined => {
        const { kind, id } = parseBulkPath(operation);
        return kind && id !== undefined && operation.method !== 'POST' ? `${contextOf(call).base}${operation.path}` : undefined;
      };
      const worker = { perform: (operation: BulkOperation) => performOne(call, operation), locate, toFault };
      return answer(200, await runBulk(readBulk(call.body), worker));
    },
  );
}

t.name({ ScimBulkReply: BulkReply });
