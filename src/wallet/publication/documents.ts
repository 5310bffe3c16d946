// Cache of published documents, which resolvers request often. Publishing, withdrawing and rotating invalidate it.
import type { Database } from '../ground/database.ts';
import { findDocument } from './publication.store.ts';
import { documentTag } from './publishing.ts';

export interface PublishedDocument {
  readonly document: string;
  readonly etag: string;
  readonly bytes: number;
}

export function createDocuments(db: Database) {
  const cache = db.cached<PublishedDocument>({ name: 'documents', limit: 10_000, tags: (_, name) => [documentTag(name)] });

  async function read(name: string): Promise<PublishedDocument | undefined> {
    const row = await findDocument(db.read, name);
    if (!row) return undefined;
    const { document, etag } = row;
    return { document, etag, bytes: Buffer.byteLength(document) };
  }

  return {
    find: async (name: string): Promise<PublishedDocument | undefined> => cache.getOrLoad(name, () => read(name)),
  };
}

export type Documents = ReturnType<typeof createDocuments>;
