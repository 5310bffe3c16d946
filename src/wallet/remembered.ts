// Lists as they were last answered: user interfaces ask for the same first page all day. Every change of an owner's things
// drops what is remembered of them.
import { Answer, type Schema, serialize } from '../platform/http/index.ts';
import type { Soon } from '../platform/soon.ts';
import { TaggedCache } from '../platform/tagged-cache.ts';
import { ownerTag } from './caller.ts';
import type { Database } from './database.ts';

const MAX_ANSWERS = 10_000;
const names = new WeakMap<Schema, number>();
let named = 0;

function nameOf(schema: Schema): number {
  const known = names.get(schema);
  if (known !== undefined) return known;
  names.set(schema, ++named);
  return named;
}

export function createRemembered(db: Database) {
  const answers = new TaggedCache<{ readonly answer: Answer; readonly tags: readonly string[] }>(MAX_ANSWERS);
  db.feed.onChange((tags) => {
    for (const tag of tags ?? [undefined]) answers.drop(tag);
  });

  return {
    /** `read` gives the whole list of this owner; one with further pages is not remembered, since its link names this request. */
    answer(owner: string, schema: Schema, read: () => Promise<Answer>): Soon<Answer> {
      const key = `${nameOf(schema)} ${owner}`;
      const kept = db.feed.live() ? answers.get(key) : undefined;
      if (kept) return kept.answer;
      return (async () => {
        let fresh: Answer | undefined;
        const entry = await answers.load(key, async () => {
          fresh = await read();
          if (fresh.headers.Link !== undefined) return undefined;
          const text = serialize(schema, fresh.body);
          return { answer: new Answer({ text, bytes: Buffer.byteLength(text) }), tags: [ownerTag(owner)] };
        });
        return entry?.answer ?? fresh!;
      })();
    },
  };
}

export type Remembered = ReturnType<typeof createRemembered>;
