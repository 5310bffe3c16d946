// A new name is one that people can tell from the others of its domain. Names that are there already stay as they are.
import type { Database, Tx } from '../database.ts';
import { fail } from '../faults.ts';
import { lockForms, usersOfForm, usersWithoutForm, writeForm } from './names.store.ts';
import { faultOfName, formOfName, isPlain } from './names.ts';
import { nameKey } from './users.store.ts';

const AT_ONCE = 500;

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

    /** Names of users that are older than this rule, or made by an older version: so many at a time. Returns how many. */
    async fill(): Promise<number> {
      const users = await usersWithoutForm(db.read, AT_ONCE);
      if (users.length === 0) return 0;
      // One that is deleted meanwhile spoils the batch: whoever calls tries again.
      await db.write(async (tx) => {
        for (const { id, domain_id: domainId, name } of users) await writeForm(tx, id, domainId, formOfName(name));
      });
      return users.length;
    },
  };
}

export type Names = ReturnType<typeof createNames>;
