// A kind of record: what a source says about one noun, and how it becomes a thing of this service. docs/developing/import-source.md says how
// to add one.
import type { Clock } from '../../../platform/clock.ts';
import type { Schema } from '../../../platform/http/index.ts';
import type { DirectoryGuard } from '../../access/context/index.ts';
import type { ImportedCredentials } from '../../delegation/credentials/index.ts';
import type { Passwords } from '../../directory/passwords/index.ts';
import type { Users } from '../../directory/users/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Database, Reader } from '../../ground/database/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import type { TakeOverRevocations } from '../../login/revoke-events/index.ts';

/** What the kinds write with. */
export interface ImportDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly config: IdentityConfig;
  readonly users: Users;
  readonly passwords: Passwords;
  readonly directory: DirectoryGuard;
  readonly importedCredentials: ImportedCredentials;
  readonly takeOverRevocations: TakeOverRevocations;
}

/** A thing of the source that a record needs. `optional`: without it, the record is taken all the same. */
export interface Reference {
  readonly kind: string;
  readonly key: string;
  readonly optional?: boolean;
}

/** What the report says beside the outcome. `name`: nobody new could have it here. `hand`: the operator has to do it. */
export interface Remark {
  readonly about: 'administrator' | 'name' | 'left_out' | 'hand';
  readonly text: string;
}

/** The same thing, which is here and not from this source. */
export interface Found {
  readonly id: string;
  /** What is the same: `its id`, `its name`. */
  readonly by: string;
  /** A thing of another kind has the id: it is never merged. */
  readonly isOther?: true;
}

export interface ReadPlace {
  readonly deps: ImportDeps;
  /** In a rehearsal it is no transaction. */
  readonly reader: Reader;
  /** Where people and groups go of which the source does not say in which domain they are. */
  readonly domainId: string | undefined;
  /** The id here of a thing of the source. In a rehearsal, of one that would be made: the id that it has there. */
  idOf(kind: string, key: string): string | undefined;
  /** For what a record needs, and has: it was looked for before. */
  idOfNeeded(kind: string, key: string): string;
}

export interface WritePlace extends ReadPlace {
  readonly change: Change;
}

/** The key is what the source calls it: it stays the same as long as the thing is the same. */
export interface KeyedRecord {
  readonly key: string;
}

export interface RecordKind<R extends KeyedRecord = KeyedRecord> {
  readonly schema: Schema<R>;
  /** For the report, such as `user alice`. */
  words(record: R): string;
  /** What it needs. Things that are not here, or were not taken, are the reason why it is not taken. */
  needs?(record: R): readonly Reference[];
  /** Parts that are compared each by itself with what the source said before: only those that changed there are written here. By default, all is one. */
  parts?(record: R): Readonly<Record<string, unknown>>;
  /** Before the transaction, for each that is new or changed. A fault is the reason why it is not taken. */
  check?(record: R): void;
  /** Those of the records, by key, that are here already, and did not come from this source under another key. */
  existing?(
    place: ReadPlace,
    records: readonly R[],
    ownAmong: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<ReadonlyMap<string, Found>>;
  /** What has to be said of those that are made or changed, by key. `here`: the ids of those that are here already, also of those that are merged. */
  remarks?(
    place: ReadPlace,
    records: readonly R[],
    here: ReadonlyMap<string, string>,
  ): Promise<ReadonlyMap<string, readonly Remark[]>>;
  /** Makes all of them. Returns their ids here, by key; none for one that nothing has to be done for, which counts as known. */
  make(place: WritePlace, records: readonly R[]): Promise<ReadonlyMap<string, string>>;
  /** Writes these parts to the thing. Returns its id, which may be another one after it was merged; undefined when it is not here any more. */
  update(place: WritePlace, id: string, record: R, parts: ReadonlySet<string>): Promise<string | undefined>;
}

/** Lets the compiler compare the schema with what the functions use. */
export const recordKind = <R extends KeyedRecord>(kind: RecordKind<R>): RecordKind<R> => kind;

/** One after the other. */
export async function makeEach<R extends KeyedRecord>(
  records: readonly R[],
  make: (record: R) => Promise<string>,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const record of records) ids.set(record.key, await make(record));
  return ids;
}
