// Lists as they were last answered: user interfaces ask for the same first page all day. Every change of an owner's things drops them.
import { Answer, type Schema, serialize } from '../../platform/http/index.ts';
import { ownerTag } from '../access/index.ts';
import type { Database } from '../database.ts';

const schemaIds = new WeakMap<Schema, number>();
let lastId = 0;

function idOf(schema: Schema): number {
  const id = schemaIds.get(schema);
  if (id !== undefined) return id;
  schemaIds.set(schema, ++lastId);
  return lastId;
}

export function createListCache(db: Database) {
  const cache = db.cached<{ readonly owner: string; readonly answer: Answer }>({
    name: 'lists',
    limit: 10_000,
    tags: ({ owner }) => [ownerTag(owner)],
  });

  return {
    /** `read` gives the whole list of this owner; one with further pages is not cached, since its link names this request. */
    async answer(owner: string, schema: Schema, read: () => Promise<Answer>): Promise<Answer> {
      let fresh: Answer | undefined;
      const entry = await cache.getOrLoad(`${idOf(schema)} ${owner}`, async () => {
        fresh = await read();
        if (fresh.headers.Link !== undefined) return undefined;
        const text = serialize(schema, fresh.body);
        return { owner, answer: new Answer({ text, bytes: Buffer.byteLength(text) }) };
      });
      // Another request of the same moment may have read it, and found pages whose links are its own.
      return entry?.answer ?? fresh ?? read();
    },
  };
}

export type ListCache = ReturnType<typeof createListCache>;
