// What is to be done with records: made, written to what came from them before, or left. Asked again in the transaction that does it.
import type { ImportedThingRow, Reader } from '../../ground/database/index.ts';
import type { Entry, NamedKind, Outcome, Taken } from './entries.ts';
import type { Found, ImportDeps, ReadPlace, Remark } from './kind.ts';
import { changedParts, findThings, ownIds, rehearsalOf, thingKey } from './things.store.ts';

/** On whose behalf, from where, and how. */
export interface ImportRun {
  readonly id: string;
  readonly source: string;
  readonly isRehearsal: boolean;
  /** The kinds of which things that are here are taken as those of the source. */
  readonly merges: ReadonlySet<string>;
  readonly domainId: string | undefined;
}

export interface Batch extends NamedKind {
  readonly deps: ImportDeps;
  readonly run: ImportRun;
}

export interface Update {
  readonly entry: Entry;
  readonly id: string;
  readonly parts: ReadonlySet<string>;
  readonly isMerge: boolean;
}

export interface Decision {
  readonly place: ReadPlace;
  readonly settled: readonly Taken[];
  readonly fresh: readonly Entry[];
  readonly updates: readonly Update[];
  readonly remarks: ReadonlyMap<string, readonly Remark[]>;
}

async function placeOf({ deps, run, kind }: Batch, reader: Reader, entries: readonly Entry[]) {
  const needs = entries.flatMap(({ record }) => kind.needs?.(record) ?? []);
  const keys = [...new Set([...entries.map(({ key }) => key), ...needs.map((one) => thingKey(one.kind, one.key))])];
  const rehearsal = rehearsalOf(run.id);
  const things = await findThings(reader, run.isRehearsal ? [run.source, rehearsal] : [run.source], keys);
  const thingOf = (key: string): ImportedThingRow | undefined => things.get(`${run.source} ${key}`);
  const idOf = (one: string, key: string): string | undefined => {
    const hashed = thingKey(one, key);
    const known = thingOf(hashed) ?? things.get(`${rehearsal} ${hashed}`);
    // What would be made has the id that it has there.
    return known ? (known.local_id ?? undefined) : run.isRehearsal ? key : undefined;
  };
  const place: ReadPlace = { deps, reader, domainId: run.domainId, idOf, idOfNeeded: (one, key) => idOf(one, key) ?? '' };
  return { place, thingOf };
}

async function existing(
  { run, name, kind }: Batch,
  place: ReadPlace,
  entries: readonly Entry[],
): Promise<ReadonlyMap<string, Found>> {
  if (!kind.existing || entries.length === 0) return new Map();
  return kind.existing(
    place,
    entries.map(({ record }) => record),
    (ids) => ownIds(place.reader, run.source, name, ids),
  );
}

export async function decide(batch: Batch, reader: Reader, entries: readonly Entry[]): Promise<Decision> {
  const { kind, name, run } = batch;
  const { place, thingOf } = await placeOf(batch, reader, entries);
  const settled: Taken[] = [];
  const updates: Update[] = [];
  const candidates: Entry[] = [];
  const settle = ({ record }: Entry, outcome: Outcome, more: Partial<Taken>): void =>
    void settled.push({ key: record.key, what: kind.words(record), outcome, ...more });
  for (const entry of entries) {
    const thing = thingOf(entry.key);
    if (thing?.digests === entry.digests) {
      settle(entry, 'unchanged', { id: thing.local_id! });
      continue;
    }
    const missing = kind.needs?.(entry.record).find((one) => !one.optional && place.idOf(one.kind, one.key) === undefined);
    if (missing) settle(entry, 'refused', { why: `the ${missing.kind} ${missing.key} was not taken`, needs: missing.kind });
    else if (thing)
      updates.push({ entry, id: thing.local_id!, parts: changedParts(thing.digests, entry.digests), isMerge: false });
    else candidates.push(entry);
  }
  const found = await existing(batch, place, candidates);
  const fresh: Entry[] = [];
  for (const entry of candidates) {
    const one = found.get(entry.record.key);
    if (!one) fresh.push(entry);
    else if (one.isOther) settle(entry, 'clash', { id: one.id, why: `${one.by} is that of something else here` });
    else if (run.merges.has(name)) updates.push({ entry, id: one.id, parts: changedParts('', entry.digests), isMerge: true });
    else settle(entry, 'clash', { id: one.id, why: `${one.by} is that of a ${name} that is here and not from this source` });
  }
  const written = [...fresh, ...updates.map(({ entry }) => entry)].map(({ record }) => record);
  const remarks =
    (written.length > 0 &&
      (await kind.remarks?.(place, written, new Map(updates.map(({ entry, id }) => [entry.record.key, id]))))) ||
    new Map();
  return { place, settled, fresh, updates, remarks };
}
