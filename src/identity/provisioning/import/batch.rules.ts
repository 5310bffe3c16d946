// Takes records of one kind. What is new is made, what changed in the source is written, what is here and is not from it is left alone. A batch
// is one transaction with what is remembered of it, so that whoever sends it again gets the rest done, and nothing twice.
import { isForeignKeyViolation, isUniqueViolation } from '../../../platform/database/index.ts';
import { Fault } from '../../../platform/faults/index.ts';
import type { Actor, Change } from '../../ground/audit/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { type Batch, type Decision, decide, type ImportRun } from './decision.rules.ts';
import { type Entry, type Outcome, readEntries, type Taken, wavesOf } from './entries.ts';
import type { ImportDeps, RecordKind, WritePlace } from './kind.ts';
import { findThings, insertThings, noteInRehearsal, rehearsalOf, thingKey, updateThing } from './things.store.ts';

/** Ends a transaction in which there is nothing to store. */
class NothingToStore extends Error {
  readonly settled: readonly Taken[];
  constructor(settled: readonly Taken[]) {
    super('nothing to store');
    this.settled = settled;
  }
}

/** The fault of a record, and not of the database: SQLite's constraints, and PostgreSQL's of data and of constraints. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof Fault) return error.message;
  if (isUniqueViolation(error)) return 'its id or its name is that of another one here';
  if (isForeignKeyViolation(error)) return 'something that it belongs to is not here';
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  const isOfData = (typeof errcode === 'number' && (errcode & 0xff) === 19) || (typeof code === 'string' && /^2[23]/.test(code));
  return isOfData ? 'the database cannot store it' : undefined;
}

const takenOf = ({ kind }: Batch, { remarks }: Decision, { record }: Entry, outcome: Outcome, id: string): Taken => ({
  key: record.key,
  what: kind.words(record),
  outcome,
  ...(id === '' ? {} : { id }),
  ...(remarks.has(record.key) ? { remarks: remarks.get(record.key)! } : {}),
});

async function makeFresh(batch: Batch, place: WritePlace, decision: Decision): Promise<Taken[]> {
  const { fresh } = decision;
  if (fresh.length === 0) return [];
  const { kind, name, run } = batch;
  const ids = await kind.make(
    place,
    fresh.map(({ record }) => record),
  );
  const idOf = ({ record }: Entry): string => ids.get(record.key)!;
  const isMade = ({ record }: Entry): boolean => ids.has(record.key);
  await insertThings(
    place.change.tx,
    fresh.filter(isMade).map((entry) => ({
      source: run.source,
      key: entry.key,
      kind: name,
      local_id: idOf(entry),
      digests: entry.digests,
    })),
  );
  return fresh.map((entry) =>
    isMade(entry) ? takenOf(batch, decision, entry, 'made', idOf(entry)) : takenOf(batch, decision, entry, 'unchanged', ''),
  );
}

async function writeUpdates(batch: Batch, place: WritePlace, decision: Decision): Promise<Taken[]> {
  const { kind, name, run } = batch;
  const { tx } = place.change;
  const taken: Taken[] = [];
  for (const { entry, id: before, parts, isMerge } of decision.updates) {
    const { record, key, digests } = entry;
    const id = await kind.update(place, before, record, parts);
    if (id === undefined) {
      taken.push({ key: record.key, what: kind.words(record), outcome: 'gone', why: 'it was deleted here since' });
      continue;
    }
    if (isMerge) await insertThings(tx, [{ source: run.source, key, kind: name, local_id: id, digests }]);
    else await updateThing(tx, run.source, key, digests);
    taken.push(takenOf(batch, decision, entry, isMerge ? 'merged' : 'changed', id));
  }
  return taken;
}

async function write(batch: Batch, change: Change, entries: readonly Entry[]): Promise<Taken[]> {
  const decision = await decide(batch, change.tx, entries);
  const place: WritePlace = { ...decision.place, change };
  const written = [...(await makeFresh(batch, place, decision)), ...(await writeUpdates(batch, place, decision))];
  const taken = [...decision.settled, ...written];
  if (written.every(({ outcome }) => outcome === 'gone' || outcome === 'unchanged')) throw new NothingToStore(taken);
  return taken;
}

async function note(
  { deps, run, name }: Batch,
  things: readonly { readonly key: string; readonly id: string | null }[],
): Promise<void> {
  const rows = things.map(({ key, id }) => ({ source: rehearsalOf(run.id), key, kind: name, local_id: id, digests: '' }));
  if (rows.length > 0) await deps.db.write((tx) => noteInRehearsal(tx, rows));
}

/** Nothing is stored but what could not be taken, and what is here already: others need those. */
async function rehearse(batch: Batch, entries: readonly Entry[]): Promise<Taken[]> {
  const decision = await decide(batch, batch.deps.db.read, entries);
  const { settled, fresh, updates } = decision;
  const refused = new Set(settled.filter(({ outcome }) => outcome !== 'unchanged').map(({ key }) => key));
  const noted = [
    ...entries.filter(({ record }) => refused.has(record.key)).map((entry) => ({ entry, id: null })),
    ...updates.filter(({ isMerge }) => isMerge),
  ];
  await note(
    batch,
    noted.map(({ entry, id }) => ({ key: entry.key, id })),
  );
  return [
    ...settled,
    ...fresh.map((entry) => takenOf(batch, decision, entry, 'made', '')),
    ...updates.map(({ entry, id, isMerge }) => takenOf(batch, decision, entry, isMerge ? 'merged' : 'changed', id)),
  ];
}

/** Most of what is sent again is known: no transaction is begun for it. */
async function withoutKnown({ deps, run, kind }: Batch, entries: readonly Entry[]): Promise<{ known: Taken[]; rest: Entry[] }> {
  const things = await findThings(
    deps.db.read,
    [run.source],
    entries.map(({ key }) => key),
  );
  const thingOf = ({ key }: Entry) => things.get(`${run.source} ${key}`);
  const isKnown = (entry: Entry): boolean => thingOf(entry)?.digests === entry.digests;
  const known = entries.filter(isKnown).map(
    (entry): Taken => ({
      key: entry.record.key,
      what: kind.words(entry.record),
      outcome: 'unchanged',
      id: thingOf(entry)!.local_id!,
    }),
  );
  return { known, rest: entries.filter((entry) => !isKnown(entry)) };
}

export function createBatches(deps: ImportDeps & Pick<Deps, 'change'>, kinds: Readonly<Record<string, RecordKind>>) {
  /** All in one transaction. If one of them cannot be stored, the others are found by halves. */
  async function store(actor: Actor, batch: Batch, entries: readonly Entry[], isRepeated = false): Promise<readonly Taken[]> {
    try {
      return await deps.change(actor, (change) => write(batch, change, entries));
    } catch (error) {
      if (error instanceof NothingToStore) return error.settled;
      const why = reasonOf(error);
      if (why === undefined) throw error;
      // Somebody else may have stored the same meanwhile: then it is decided anew.
      if (!isRepeated && isUniqueViolation(error)) return store(actor, batch, entries, true);
      if (entries.length === 1) {
        const { record } = entries[0]!;
        return [{ key: record.key, what: batch.kind.words(record), outcome: 'refused', why }];
      }
      const half = entries.length >> 1;
      return [...(await store(actor, batch, entries.slice(0, half))), ...(await store(actor, batch, entries.slice(half)))];
    }
  }

  return async (actor: Actor, run: ImportRun, name: string, records: readonly unknown[]): Promise<Taken[]> => {
    const batch: Batch = { deps, run, name, kind: kinds[name]! };
    const from: Actor = { ...actor, origin: { ...actor.origin, import: run.source } };
    const { entries, refused } = readEntries(batch, records);
    const taken: Taken[] = [...refused];
    if (run.isRehearsal)
      await note(
        batch,
        refused.map(({ key }) => ({ key: thingKey(name, key), id: null })),
      );
    for (const wave of wavesOf(batch, entries)) {
      const { known, rest } = await withoutKnown(batch, wave);
      taken.push(...known);
      if (rest.length > 0) taken.push(...(await (run.isRehearsal ? rehearse(batch, rest) : store(from, batch, rest))));
    }
    return taken;
  };
}
