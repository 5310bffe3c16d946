// Published documents, from memory: resolvers all over ask for them. Publishing, withdrawing and rotating drop them.
import type { Soon } from '../../platform/soon.ts';
import { TaggedCache } from '../../platform/tagged-cache.ts';
import type { Database } from '../database.ts';
import { documentTag, findDocument } from '../publication/index.ts';

const MAX_DOCUMENTS = 10_000;

export interface PublishedDocument {
  readonly document: string;
  readonly etag: string;
  readonly bytes: number;
  readonly tags: readonly string[];
}

export function createDocuments(db: Database) {
  const kept = new TaggedCache<PublishedDocument>(MAX_DOCUMENTS);
  db.feed.onChange((tags) => {
    for (const tag of tags ?? [undefined]) kept.drop(tag);
  });

  async function read(name: string): Promise<PublishedDocument | undefined> {
    const row = await findDocument(db.read, name);
    if (!row) return undefined;
    const { document, etag } = row;
    return { document, etag, bytes: Buffer.byteLength(document), tags: [documentTag(name)] };
  }

  return {
    find: (name: string): Soon<PublishedDocument | undefined> =>
      (db.feed.live() ? kept.get(name) : undefined) ?? kept.load(name, () => read(name)),
  };
}

export type Documents = ReturnType<typeof createDocuments>;
