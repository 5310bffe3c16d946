// What the password of nobody is compared with. People with the hash of another system take longer than those with one of ours (hashing.ts); if nobody were
// always as quick as ours, the time would say who is here. So a name that there is not takes as long as its share of the people does: always the same name
// the same form, which only the service knows.
import { createHmac } from 'node:crypto';
import type { Database } from '../../ground/database/index.ts';
import { type CountedForm, findStandInKey, readForms } from './passwords.store.ts';

/** Forms change with each first login of somebody; which name takes which may be late. */
const FRESH_MS = 60_000;

interface Forms {
  readonly key: string;
  readonly all: readonly CountedForm[];
}

/** A number from 0 to 1 that is the same for the same name. */
const placeOf = (key: string, name: string): number => createHmac('sha256', key).update(name).digest().readUInt32BE() / 2 ** 32;

export function createStandIns(db: Database) {
  let known: { readonly forms: Promise<Forms | undefined>; readonly at: number } | undefined;

  async function read(): Promise<Forms | undefined> {
    const key = await findStandInKey(db.read);
    return key === undefined ? undefined : { key, all: await readForms(db.read) };
  }

  function forms(): Promise<Forms | undefined> {
    const now = performance.now();
    if (known && now - known.at < FRESH_MS) return known.forms;
    const found = read();
    known = { forms: found, at: now };
    found.catch(() => {
      known = undefined;
    });
    return found;
  }

  return {
    /** Undefined: one of ours. `name`: what was typed, in its domain if one was named. */
    async hashFor(domainId: string | undefined, name: string): Promise<string | undefined> {
      const found = await forms();
      if (!found) return undefined;
      const here = found.all.filter((one) => domainId === undefined || one.domain_id === domainId);
      const stored = here.reduce((sum, one) => sum + one.stored, 0);
      let place = placeOf(found.key, name) * stored;
      for (const { form, passwords } of here) {
        if (place < passwords) return form;
        place -= passwords;
      }
      return undefined;
    },
  };
}

export type StandIns = ReturnType<typeof createStandIns>;
