// The records of a batch, before anything is looked up.
import { Fault } from '../../../platform/faults/index.ts';
import { problemsOf } from '../../../platform/http/index.ts';
import type { KeyedRecord, RecordKind, Remark } from './kind.ts';
import { digestsOf, thingKey } from './things.store.ts';

/** `gone`: it was deleted here since. `clash`: it is here, and not from this source. */
export type Outcome = 'made' | 'merged' | 'changed' | 'unchanged' | 'clash' | 'refused' | 'gone';

/** What became of a record. */
export interface Taken {
  readonly key: string;
  /** For people: `user alice`. */
  readonly what: string;
  readonly outcome: Outcome;
  readonly id?: string | undefined;
  readonly why?: string | undefined;
  /** The kind of what it needs and was not taken. */
  readonly needs?: string | undefined;
  readonly remarks?: readonly Remark[] | undefined;
}

export interface Entry {
  readonly record: KeyedRecord;
  /** As it is stored. */
  readonly key: string;
  readonly digests: string;
}

export interface NamedKind {
  readonly name: string;
  readonly kind: RecordKind;
}

const LONGEST_KEY = 1000;

function keyOf(value: unknown): string | undefined {
  const key = typeof value === 'object' && value !== null ? (value as { key?: unknown }).key : undefined;
  return typeof key === 'string' && key.length <= LONGEST_KEY ? key : undefined;
}

function problemOf(kind: RecordKind, record: KeyedRecord): string | undefined {
  const [problem] = problemsOf(kind.schema, record);
  if (problem) return [problem.path.join('.'), problem.why].filter(Boolean).join(': ');
  try {
    kind.check?.(record);
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
  return undefined;
}

export function readEntries({ name, kind }: NamedKind, records: readonly unknown[]): { entries: Entry[]; refused: Taken[] } {
  const seen = new Set<string>();
  const refused: Taken[] = [];
  const entries: Entry[] = [];
  for (const value of records) {
    const key = keyOf(value);
    if (key === undefined) {
      refused.push({ key: '', what: `a ${name}`, outcome: 'refused', why: 'it has no key' });
      continue;
    }
    const record = value as KeyedRecord;
    const why = seen.has(key) ? 'the source says it twice' : problemOf(kind, record);
    if (why !== undefined) refused.push({ key, what: `${name} ${key}`, outcome: 'refused', why });
    else entries.push({ record, key: thingKey(name, key), digests: digestsOf(kind.parts?.(record) ?? { all: record }) });
    seen.add(key);
  }
  return { entries, refused };
}

/** Of things that need others of their kind, these come first: each wave needs only what is in those before it. */
export function wavesOf({ name, kind }: NamedKind, entries: readonly Entry[]): Entry[][] {
  const byKey = new Map(entries.map((entry) => [entry.record.key, entry]));
  const depths = new Map<string, number>();
  /** `above`: what led here. Things that need each other are in no order. */
  function depthOf(key: string, above: ReadonlySet<string>): number {
    const known = depths.get(key);
    if (known !== undefined) return known;
    const own = (kind.needs?.(byKey.get(key)!.record) ?? []).filter(
      (one) => one.kind === name && byKey.has(one.key) && !above.has(one.key),
    );
    const depth = Math.max(0, ...own.map((one) => 1 + depthOf(one.key, new Set([...above, one.key]))));
    depths.set(key, depth);
    return depth;
  }
  const waves: Entry[][] = [];
  for (const entry of entries) {
    const depth = depthOf(entry.record.key, new Set([entry.record.key]));
    waves[depth] = [...(waves[depth] ?? []), entry];
  }
  return waves.filter((wave) => wave !== undefined);
}
