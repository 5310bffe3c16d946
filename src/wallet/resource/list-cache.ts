// Caches the first page of lists, which user interfaces request often. Every change of an owner's wallet drops it.
import { Answer, type Schema, serialize } from '../../platform/http/index.ts';
import { ownerTag } from '../access/index.ts';
import type { Database } from '../ground/database.ts';

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
    /** `read` returns the list of this owner. A list with further pages is not cached, because its Link header depends on the request. */
    async answer(owner: string, schema: Schema, read: () => Promise<Answer>): Promise<Answer> {
      let fresh: Answer | undefined;
      const entry = await cache.getOrLoad(`${idOf(schema)} ${owner}`, async () => {
        fresh = await read();
        if (fresh.headers.Link !== undefined) return undefined;
        const text = serialize(schema, fresh.body);
        return { owner, answer: new Answer({ text, bytes: Buffer.byteLength(text) }) };
      });
      // A concurrent request may have loaded it, and not cached it because of further pages.
      return entry?.answer ?? fresh ?? read();
    },
  };
}

export type ListCache = ReturnType<typeof createListCache>;
