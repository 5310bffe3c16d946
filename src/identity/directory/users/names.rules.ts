// A new user name must not look like another one in its domain. Existing names stay as they are.
import type { Database, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { nameKey } from './name-key.ts';
import { lockForms, usersOfForm, usersWithForms, writeMissingForm } from './names.store.ts';
import { isPlain, lookalikeForm, nameProblem } from './names.ts';

const PAGE = 1000;
/** Writes take longer than reads. With more of them in one transaction, requests would have to wait. */
const WRITES = 100;

export function createUserNames(db: Database) {
  return {
    /** Fails unless the name can be used. Called in the transaction that sets it. */
    async check(tx: Tx, { id, domainId, name }: { id: string; domainId: string; name: string }): Promise<void> {
      const why = nameProblem(name);
      if (why !== undefined) fail('request.bad_value', { field: 'name', why });
      const plain = isPlain(name);
      const form = lookalikeForm(name);
      await lockForms(db, tx, domainId, plain);
      for (const other of await usersOfForm(tx, domainId, form)) {
        // Two ASCII names may look alike. The same name is refused by the unique index.
        const differs = (plain && isPlain(other.name)) || nameKey(other.name) === nameKey(name);
        // An older replica may have renamed the other user without updating the form.
        if (other.id !== id && !differs && lookalikeForm(other.name) === form) fail('user.name_alike', { name });
      }
    },

    /**
     * Stores missing forms of names from before this rule or from older replicas, for one page of users after this id. Returns the id
     * to continue from; undefined when there are no more.
     */
    async fillMissing(after: string): Promise<string | undefined> {
      const page = await usersWithForms(db.read, { after, limit: PAGE });
      const missing = page.filter(({ form }) => form === null).slice(0, WRITES);
      if (missing.length > 0)
        await db.write(async (tx) => {
          for (const user of missing) await writeMissingForm(tx, user, lookalikeForm(user.name));
        });
      return (missing.length === WRITES ? missing : page).at(-1)?.id;
    },
  };
}

export type UserNames = ReturnType<typeof createUserNames>;
