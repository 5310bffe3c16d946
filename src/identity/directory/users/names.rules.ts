// A new user name must not look like another one in its domain. Existing names stay as they are.
import type { Fault } from '../../../platform/faults/index.ts';
import type { Database, Reader, Tx } from '../../ground/database/index.ts';
import { fault } from '../../ground/faults.ts';
import { duplicateName } from '../../ground/resource/index.ts';
import { nameKey } from './name-key.ts';
import { lockForms, usersOfForms, usersWithForms, writeMissingForm } from './names.store.ts';
import { isPlain, lookalikeForm, nameProblem } from './names.ts';

const PAGE = 1000;
/** Writes take longer than reads. With more of them in one transaction, requests would have to wait. */
const WRITES = 100;

/** A name as it is compared with others. */
interface ReadName {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly form: string;
  readonly isPlain: boolean;
}

/** The name that a user shall have, or why nobody can have it. */
export interface WantedName extends ReadName {
  readonly problem: string | undefined;
}

const readName = (id: string, name: string): ReadName => ({
  id,
  name,
  key: nameKey(name),
  form: lookalikeForm(name),
  isPlain: isPlain(name),
});

/** For a long name in a large alphabet, this takes milliseconds. So whoever creates many people does it before the transaction. */
export const wantedName = (id: string, name: string): WantedName => ({ ...readName(id, name), problem: nameProblem(name) });

/** Two ASCII names may look alike. */
const clashes = (one: ReadName, other: ReadName): boolean => one.key === other.key || !(one.isPlain && other.isPlain);

export function createUserNames(db: Database) {
  /** The same without a lock: somebody may take a name at the same time. */
  async function problems(reader: Reader, domainId: string, wanted: readonly WantedName[]): Promise<Map<string, Fault>> {
    const refused = new Map<string, Fault>();
    const candidates = wanted.filter(({ problem }) => problem === undefined);
    for (const { id, problem } of wanted)
      if (problem !== undefined) refused.set(id, fault('request.bad_value', { field: 'name', why: problem }));
    if (candidates.length === 0) return refused;
    const forms = [...new Set(candidates.map(({ form }) => form))];
    // An older replica may have renamed the other user without updating the form.
    const stored = (await usersOfForms(reader, domainId, forms)).map(({ id, name }) => readName(id, name));
    const byForm = Map.groupBy(stored, ({ form }) => form);
    for (const one of candidates) {
      const others = byForm.get(one.form) ?? [];
      const clashing = others.find((other) => other.id !== one.id && clashes(one, other));
      if (!clashing) byForm.set(one.form, [...others, one]);
      else if (clashing.key === one.key) refused.set(one.id, duplicateName('user', one.name));
      else refused.set(one.id, fault('user.name_alike', { name: one.name }));
    }
    return refused;
  }

  /**
   * By id, why a name cannot be used, for each of these that cannot. Of two that are the same or look alike, the first can. Called in the transaction
   * that sets them.
   */
  async function refusals(tx: Tx, domainId: string, wanted: readonly WantedName[]): Promise<Map<string, Fault>> {
    const candidates = wanted.filter(({ problem }) => problem === undefined);
    if (candidates.length > 0)
      await lockForms(
        db,
        tx,
        domainId,
        candidates.every((one) => one.isPlain),
      );
    return problems(tx, domainId, wanted);
  }

  return {
    problems,
    refusals,

    /** Fails unless the name can be used. Called in the transaction that sets it. */
    async check(tx: Tx, { id, domainId, name }: { id: string; domainId: string; name: string }): Promise<void> {
      for (const refusal of (await refusals(tx, domainId, [wantedName(id, name)])).values()) throw refusal;
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
