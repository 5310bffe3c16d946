// A new name is one that people can tell from the others of its domain. Names that are there already stay as they are.
import type { Database, Tx } from '../database.ts';
import { fail } from '../faults.ts';
import { lockForms, usersOfForm, usersWithForms, writeForm } from './names.store.ts';
import { faultOfName, formOfName, isPlain } from './names.ts';
import { nameKey } from './users.store.ts';

/** So few that a request waits no longer for them than for another request. */
const AT_ONCE = 100;

export function createNames(db: Database) {
  return {
    /** Throws unless the name can be given. Called inside the change that gives it. */
    async check(tx: Tx, { id, domainId, name }: { id: string; domainId: string; name: string }): Promise<void> {
      const why = faultOfName(name);
      if (why !== undefined) fail('request.bad_value', { field: 'name', why });
      const plain = isPlain(name);
      const form = formOfName(name);
      await lockForms(db, tx, domainId, plain);
      for (const other of await usersOfForm(tx, domainId, form)) {
        // Two plain names can be told apart by who types them, and the same name is for the index to refuse.
        const differs = (plain && isPlain(other.name)) || nameKey(other.name) === nameKey(name);
        // A replica of an older version may have given them another name since.
        if (other.id !== id && !differs && formOfName(other.name) === form) fail('user.name_alike', { name });
      }
    },

    note: (tx: Tx, id: string, domainId: string, name: string): Promise<void> => writeForm(tx, id, domainId, formOfName(name)),

    /**
     * Forms for names of users that are older than this rule, or made by an older version: one page of users after this id. Returns
     * the id to go on from, undefined when there are no more.
     */
    async fill(after: string): Promise<string | undefined> {
      const page = await usersWithForms(db.read, { after, limit: AT_ONCE });
      const missing = page.filter(({ form }) => form === null);
      // A user that is deleted meanwhile spoils the page: whoever calls tries again.
      if (missing.length > 0)
        await db.write(async (tx) => {
          for (const { id, domain_id: domainId, name } of missing) await writeForm(tx, id, domainId, formOfName(name));
        });
      return page.at(-1)?.id;
    },
  };
}

export type Names = ReturnType<typeof createNames>;
