// /api/v1/wallet/dids

import { Answer } from '../../platform/http/index.ts';
import type { Caller, WalletApp } from '../access/index.ts';
import {
  CREATED,
  EmptyBody,
  ForceQuery,
  type Idempotency,
  type ListCache,
  PAGED,
  pageAnswer,
  pageOf,
} from '../resource/index.ts';
import type { Dids } from './dids.rules.ts';
import { Did, DidList, DidQuery, NewDid, renderDid, requestOf } from './dids.schema.ts';

const tag = 'DIDs';
const DIDS = '/api/v1/wallet/dids';

export function mountDids(
  app: WalletApp,
  { dids, idempotency, listCache }: { dids: Dids; idempotency: Idempotency; listCache: ListCache },
): void {
  const rule = 'owner_or_administrator';
  const target = ({ caller, params }: { caller: Caller; params: { id: string } }) => dids.target(caller, params.id);

  app.get(
    DIDS,
    {
      id: 'listDids',
      summary: 'List the DIDs of the wallet',
      tag,
      rule: 'signed_in',
      query: DidQuery,
      documentation: PAGED,
      reply: { 200: DidList },
    },
    (call) => {
      const { caller, query } = call;
      const list = async (): Promise<Answer> => {
        const { state, method, ...rest } = query;
        const page = pageOf(rest);
        const found = (await dids.list(caller, { state, method }, page)).map((did) => ({ id: did.row.id, did }));
        return pageAnswer(call, found, page, ({ did }) => renderDid(did));
      };
      return Object.keys(query).length === 0 ? listCache.answer(caller.owner, DidList, list) : list();
    },
  );

  app.get(
    `${DIDS}/:id`,
    { id: 'getDid', summary: 'Show a DID, by its id or by the DID itself', tag, rule, target, reply: { 200: Did } },
    async (call) => renderDid(await dids.show(call.target)),
  );

  app.post(
    DIDS,
    {
      id: 'createDid',
      summary: 'Create a DID',
      description:
        'By default a did:web of this node with a new key, not yet published. did:key and did:jwk resolve by themselves.',
      tag,
      rule: 'signed_in',
      body: NewDid,
      documentation: CREATED,
      reply: { 201: Did },
    },
    async ({ caller, body, headers }) => {
      const did = renderDid(await dids.create(caller, requestOf(body), idempotency.of(caller, 'dids', headers, body)));
      return new Answer({ headers: { Location: `${DIDS}/${did.id}` }, body: did });
    },
  );

  app.post(
    `${DIDS}/:id/publish`,
    {
      id: 'publishDid',
      summary: 'Publish the document of a DID',
      description: 'From now on the node serves the document at the address that the DID stands for.',
      tag,
      rule,
      target,
      body: EmptyBody,
      reply: { 200: Did },
    },
    async (call) => renderDid(await dids.publish(call.caller, call.target)),
  );

  app.post(
    `${DIDS}/:id/unpublish`,
    {
      id: 'unpublishDid',
      summary: 'Withdraw the document of a DID',
      description: 'The DID does not resolve any more. It can be published again.',
      tag,
      rule,
      target,
      body: EmptyBody,
      reply: { 200: Did },
    },
    async (call) => renderDid(await dids.unpublish(call.caller, call.target)),
  );

  app.delete(
    `${DIDS}/:id`,
    {
      id: 'deleteDid',
      summary: 'Delete a DID',
      description:
        'Only one that is not published; `force` also deletes one that credentials are bound to. Its name cannot be used again.',
      tag,
      rule,
      target,
      query: ForceQuery,
      reply: { 204: null },
    },
    (call) => dids.remove(call.caller, call.target, call.query.force === 'true'),
  );
}
