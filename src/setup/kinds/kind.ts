// What one kind of thing is: in a file, in the API, and in messages. The general part (schema.ts, wanted.ts, read.ts, plan.ts, write.ts,
// export.ts) walks the table of all kinds (index.ts) and knows none of them.
import type { Schema } from '../../platform/http/index.ts';
import type { Body } from '../client.ts';
import type { Action, Change, ExistingItem, Fields, Json, Key, Kind, Path, PruneScope, SetupItem } from '../model.ts';
import type { Secrets } from '../secrets.ts';
import type { State } from '../state.ts';

/** What a field that names other things is sent with: their ids, and the key of its own thing. */
export interface Referring {
  readonly ids: Ids;
  readonly key: Key;
}

export interface Field {
  /** In a file. Without one, files do not have it: where an entry stands says it. */
  readonly schema?: Schema;
  readonly isRequired?: boolean;
  /** Its name in the API, if that is another one. */
  readonly api?: string;
  /** What the API shows, as a file would say it; undefined if a file would not say it. Otherwise: the same. */
  readonly read?: (body: Body, state: State) => Json | undefined;
  /** What the API takes. Otherwise: the same. */
  readonly send?: (value: Json, of: Referring) => unknown;
  /** What a file may say in two ways, as `read` says it. */
  readonly asRead?: (value: Json, state: State) => Json;
  /** What a file says, as the service stores it. */
  readonly stored?: (value: never) => Json;
  /** What a thing has that was created without it. Exports do not write it. */
  readonly initial?: Json;
  /** A list whose order means nothing. */
  readonly isSet?: boolean;
  /** Why it cannot be changed later. Requests for a new one name it by `body`. */
  readonly fixed?: string;
  /** The secret is sent with a change of it. */
  readonly sendsSecret?: boolean;
}

/** A list of things of a kind in a file. */
export interface List {
  readonly kind: Kind;
  /** What editors say about it. */
  readonly about?: string;
  /** The beginning of their keys, if it is not the key of the entry that they are below. */
  readonly above?: Key;
  /** Not a list, but one of them. */
  readonly isOne?: boolean;
}
/** Lists below an entry, or below the file, by their names; some are together in an object. */
export type Lists = Readonly<Record<string, List | { readonly lists: Readonly<Record<string, List>>; readonly about?: string }>>;

/** An entry of a file. The schema has checked it. */
export type Entry = Readonly<Record<string, unknown>>;

/** Notes what an entry names. The paths lead on from the entry. */
export interface Naming {
  /** Something that must exist, or be in the file. */
  refer(kind: Kind, key: Key, ...path: Path): void;
  user(reference: NameInDomain, ...path: Path): void;
  refuse(why: string, ...path: Path): never;
}

/** The id of something that exists by now. */
export type Ids = (kind: Kind | 'user', key: Key) => string;

/** What a request needs. */
export interface Work {
  readonly state: State;
  readonly secrets: Secrets;
  readonly ids: Ids;
}

export interface KindDefinition {
  /** What messages call it. */
  readonly label: (key: Key) => string;

  // In a file
  /** The schema of an entry, if it is no object with fields. */
  readonly schema?: Schema;
  /** What of an entry is its key, and what else it has beside fields and lists. */
  readonly required?: Readonly<Record<string, Schema>>;
  readonly optional?: Readonly<Record<string, Schema>>;
  readonly about?: string;
  readonly fields?: Readonly<Record<string, Field>>;
  /** It has attributes of one's own, but none with these names: the API uses them. */
  readonly reserved?: readonly string[];
  /** `further`: those that are written after the fields. */
  readonly further?: Readonly<Record<string, Schema>>;
  readonly lists?: Lists;
  /** `above`: the key of the entry that it is below. */
  keyOf(entry: never, above: Key, naming: Naming): Key;
  /** Fields that do not stand in the entry under their names. */
  fieldsOf?(entry: never, above: Key): Fields;
  secretOf?(entry: never): { readonly secrets?: NonNullable<SetupItem['secrets']>; readonly secretTo?: string };
  /** What a list names completely. Otherwise: everything below the entry that it belongs to. */
  scopes?(list: readonly never[], domains: readonly string[]): Omit<PruneScope, 'kind'>[];
  /** What of an entry is its key: the opposite of keyOf. */
  entryOf(key: Key, above: Key): unknown;
  /** Whether it is written below another thing. Otherwise: if its key begins with the other one's. */
  isBelow?(found: ExistingItem, above: Key): boolean;
  /** The entry as it is written; undefined if it is not. `fileFor`: a new name for the file of its secret. */
  exported?(entry: Entry, found: ExistingItem, fileFor: (ending: string, name?: string) => unknown): Entry | undefined;

  // In the API
  /** Kinds that have to be known to compare or write it. */
  readonly needs?: readonly Kind[];
  read(state: State): Promise<void>;
  /** The name around a body, if it is not that of the kind. */
  readonly envelope?: string;
  /** Where it is created by POST. */
  readonly collection?: string;
  /** The API creates several at once. */
  readonly isCreatedInList?: boolean;
  /** Where it is created by PUT. */
  address?(key: Key, ids: Ids): string;
  /** What a request for a new one has beside the fields. */
  body?(key: Key, ids: Ids, fields: Fields): Record<string, unknown>;
  /** Creates it in another way, and returns its id. */
  create?(work: Work, wanted: SetupItem): Promise<string>;
  /** PUT replaces all settings, so those that do not change are sent again. Returns what is sent. */
  whole?(settings: Fields, changed: Fields, wanted: SetupItem, secrets: Secrets): Record<string, unknown>;
  /** What a change sends, with its secrets; a plan asks for it, too. Otherwise: the fields. */
  sent?(fields: Fields, wanted: SetupItem, secrets: Secrets): Record<string, unknown>;
  /** A change names all fields of the file. */
  readonly changesAll?: boolean;
  /** Nothing can be created below a disabled one, so that it is disabled at the end. */
  readonly isDisabledLast?: boolean;
  /** An earlier run was interrupted after the request, before the secret was written. */
  finishSecret?(work: Work, change: Change): Promise<void>;

  // In a plan
  /** A list of fields of which pruning removes those that the file does not have. */
  readonly prunesFields?: boolean;
  /** What messages call the value of a field that is not set. */
  readonly absent?: string;
  /** The one that it is below, of the same kind. */
  parentOf?(thing: { readonly key: Key; readonly fields: Fields }): Key | undefined;
  /** Why it cannot be created. */
  refusal?(wanted: SetupItem, state: State): { readonly path: Path; readonly why: string } | undefined;
  /** What to do if several have the same name. */
  readonly remedy?: string;
  /** The rule that the service asks. */
  readonly rule: (action: Action, key: Key) => string;
  /** What a change is about, by the names of path parameters. Undefined if it does not exist yet. */
  subject?(change: Change, id: (kind: Kind | 'user', key: Key) => string | undefined): Record<string, string | undefined>;
}

export interface NameInDomain {
  readonly name: string;
  readonly domain: string;
}

/** `identity:*_group` is identity:create_group. */
export const ruleOf =
  (pattern: string) =>
  (action: Action): string =>
    pattern.replace('*', action);
/** Rules of things that are only added and removed. */
export const rulesOf =
  (create: string, remove: string) =>
  (action: Action): string =>
    action === 'create' ? create : remove;
