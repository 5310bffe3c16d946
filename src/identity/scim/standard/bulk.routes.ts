// /scim/v2/Bulk: many operations in one request, each with the rule of its own route.
import { Fault } from '../../../platform/faults/index.ts';
import { outageOf, t } from '../../../platform/http/index.ts';
import { type IdentityApp, PROVISIONING } from '../../access/index.ts';
import { fail } from '../../faults.ts';
import { versionOf } from '../core/handler.ts';
import { Message } from '../core/openapi.ts';
import { expecting } from '../core/requests.ts';
import type { Scim } from '../core/scim.rules.ts';
import type { Rows, Table } from '../core/scim.store.ts';
import { answer, contextOf, locationOf, ROOT, type ScimCall, tag } from './answers.ts';
import { type BulkOperation, readBulk, runBulk, unexpected } from './bulk.ts';
import { BULK_DESCRIBED } from './documentation.ts';
import { type Kind, kinds, operationsOf, perform } from './operations.ts';
import { BULK } from './service-provider.ts';

const BulkReply = t.object({ schemas: t.array(t.string()), Operations: t.array(t.open({ status: t.string() })) });

/** What the path of a bulk operation leads to: a kind of resource, or one of them. */
function placeOf({ path }: BulkOperation): { kind: Kind | undefined; id: string | undefined } {
  const [, endpoint, id] = /^\/(\w+)(?:\/([^/?]+))?$/.exec(path) ?? [];
  return { kind: kinds.find(({ type }) => type.endpoint === `/${endpoint}`), id };
}

export function mountBulk(app: IdentityApp, parts: { readonly scim: Scim }): void {
  async function performOne(call: ScimCall, bulked: BulkOperation) {
    const { method, data, version } = bulked;
    const { kind, id } = placeOf(bulked);
    if (!kind || (method === 'POST') !== (id === undefined))
      fail('scim.invalid_path', { path: bulked.path.slice(0, 100), why: 'it leads to no resource' });
    const operations = operationsOf(kind, () => parts.scim);
    const handler = kind.of(parts.scim);
    const context = contextOf(call);
    const asked = { context, id, data, expect: expecting(version) };
    const done = (row: Rows[Table], status: number) => ({
      id: row.id,
      status,
      location: locationOf(handler, context, row.id),
      version: versionOf(row),
    });
    if (method === 'POST') return done(await perform(operations.create, asked), 201);
    if (method === 'PUT') return done(await perform(operations.replace, asked), 200);
    if (method === 'PATCH') return done(await perform(operations.patch, asked), 200);
    await perform(operations.remove, asked);
    return { status: 204, location: locationOf(handler, context, id!) };
  }

  app.post(
    `${ROOT}/Bulk`,
    {
      summary: 'Many operations',
      tag,
      access: PROVISIONING,
      rule: 'SCIM:bulk',
      body: Message,
      bodyLimit: BULK.maxPayloadSize,
      documentation: BULK_DESCRIBED,
      reply: { 200: BulkReply },
    },
    async (call) => {
      const toFault = (err: unknown): Fault => {
        if (err instanceof Fault) return err;
        parts.scim.log.error({ request_id: call.requestId, err }, 'bulk operation failed');
        return outageOf(err) ?? unexpected();
      };
      const locate = (bulked: BulkOperation): string | undefined => {
        const { kind, id } = placeOf(bulked);
        return kind && id !== undefined && bulked.method !== 'POST' ? `${contextOf(call).base}${bulked.path}` : undefined;
      };
      const work = { perform: (bulked: BulkOperation) => performOne(call, bulked), locate, toFault };
      return answer(200, await runBulk(readBulk(call.body), work));
    },
  );
}
