// GET /api/v1/wallet/node: the node's own keys and DIDs, for administrators. They are changed as those of a wallet are, by their ids.
import { t } from '../../platform/http/index.ts';
import { theNode, type WalletApp } from '../access/index.ts';
import { Key, type Keys, renderKeyWithUse } from '../keys/index.ts';
import type { Dids } from './dids.rules.ts';
import { Did, renderDid } from './dids.schema.ts';

/** A node has one DID and a few keys. Older keys beyond this number are not shown. */
const PAGE = { limit: 200, after: undefined };

const Node = t.object({ dids: t.array(Did), keys: t.array(Key) });

export function mountNode(app: WalletApp, { keys, dids }: { keys: Keys; dids: Dids }): void {
  app.get(
    '/api/v1/wallet/node',
    {
      id: 'getNode',
      summary: "Show the node's own DIDs and keys",
      tag: 'Node',
      rule: 'administrator',
      reply: { 200: Node },
    },
    async () => ({
      dids: (await dids.list(theNode, {}, PAGE)).map(renderDid),
      keys: (await keys.list(theNode, {}, PAGE)).map(renderKeyWithUse),
    }),
  );
}

t.name({ Node });
