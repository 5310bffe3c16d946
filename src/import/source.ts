// A source: a system that people move in from. Each kind of source is an object in the table of sources/index.ts.
import type { ImportKindName, RecordOf } from '../identity/provisioning/import/index.ts';
import type { Environment } from '../platform/config/index.ts';

/** Something that the operator can mend. The message is complete. */
export class ImportError extends Error {}

/** A row of the source from which no record can be made. The others are. */
export class Unreadable {
  readonly what: string;
  readonly why: string;

  /** `what`: for people, such as `user 4711`. */
  constructor(what: string, why: string) {
    this.what = what;
    this.why = why;
  }
}

/** One after the other, as they are read: never all of them in memory. */
export type Records<Name extends ImportKindName> = AsyncIterable<RecordOf<Name> | Unreadable>;

/** By the kinds that the source has. They are read in the order of dependence (IMPORT_ORDER). */
export type Readers = { readonly [Name in ImportKindName]?: () => Records<Name> };

/** What is said about the whole source. */
export interface SourceRemark {
  readonly about: 'left_out' | 'hand';
  readonly text: string;
}

export interface SourceSetting {
  /** Of ours. */
  readonly key: string;
  readonly value: string;
  /** Of the source. */
  readonly from: string;
}

export interface OpenSource {
  /** What it is, such as `Keystone (SQLite)`. */
  readonly about: string;
  readonly readers: Readers;
  /** What cannot be taken as a record, or has to be done by hand; read after the records. */
  remarks?(): AsyncIterable<SourceRemark>;
  /** Settings of the source that have a counterpart here, for the operator to take over. */
  settings?(): Promise<readonly SourceSetting[]>;
  close(): Promise<void>;
}

export interface SourceOptions {
  /** What was given after the options of this kind of source. */
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly env: Environment;
}

export interface SourceKind {
  /** What SOURCE is, for the help of the command. */
  readonly about: string;
  /** Further options of the command, by name. */
  readonly options?: Readonly<Record<string, { readonly value?: string; readonly about: string }>>;
  /** Throws an ImportError if this is not such a source, or not one of a version that is known. */
  open(location: string, options: SourceOptions): Promise<OpenSource>;
}
