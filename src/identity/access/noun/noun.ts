// A noun of the base API: a table, and the requests that list, create, show, change and delete its rows. A module says what is its own
// (`defineNoun`, with hooks for what is special), and this file makes of it what all nouns have: schemas and rules; noun.routes.ts makes the routes
// and the examples of the API document. What is odd stays a plain route in the module.
// All names follow from two (ground/noun-names.ts). A `policy` of the `policies` has the path /v3/policies/:policy_id, the rule
// identity:update_policy, the fault policy.not_found, the audit event policy.updated, the schemas NewPolicy and PolicyEnvelope, the operation
// updatePolicy.
import { createHash } from 'node:crypto';
import { type Query, type Schema, t } from '../../../platform/http/index.ts';
import { newId } from '../../../platform/ids.ts';
import type { Change } from '../../ground/audit/index.ts';
import { type FaultCode, fail } from '../../ground/faults.ts';
import { NOUN_NAMES, type NounName, type TableOf } from '../../ground/noun-names.ts';
import {
  bit,
  criteriaOf,
  type Deps,
  extraOf,
  type Filters,
  failOnBrokenReference,
  failOnDuplicate,
  filterDocumentation,
  foundPage,
  Links,
  ListLinks,
  mergeExtra,
  pageOf,
  parseJson,
  wholeList,
} from '../../ground/resource/index.ts';
import { type Caller, type IdentityTarget, targetOf } from '../rules/index.ts';
import { deleteRow, findRow, insertRow, listRows, lockNoun, type RowOf, updateRow } from './noun.store.ts';

interface FieldOf<Column> {
  /** What answers say, if not what requests say. */
  readonly answer?: Schema;
  /** From the column to an answer, where they differ. */
  readonly show?: (column: Column) => unknown;
  /** The column of a new row whose request does not say it; null is a value. Without one, every request for a new row has to. */
  readonly initial?: Column;
  /** Lists can be filtered by it; by a text also with its parts. */
  readonly filter?: 'text' | 'flag';
}

/** A column, as requests (`body`) and answers know it. Where a request says something else than the column has, `store` translates. */
export type Field<Column> = FieldOf<Column> &
  (
    | { readonly body: Schema<Column>; readonly store?: undefined }
    | { readonly body: Schema; readonly store: (said: never) => Column }
  );

/** A column that is 1 or 0, for true and false. */
export const flag = (initial: boolean, about: { readonly description?: string } = {}): Field<number> => ({
  body: t.boolean(about),
  answer: t.boolean(),
  initial: bit(initial),
  store: bit,
  show: (column) => column === 1,
  filter: 'flag',
});

/** The five requests. */
export type Verb = 'list' | 'create' | 'show' | 'change' | 'delete';

interface Words {
  readonly summary?: string;
  readonly description?: string;
}

/** Ids that clients choose. */
interface ChosenId {
  /** A request for a new one may bring it. Without this there is no POST: each new one is PUT. */
  readonly body?: Schema<string | null>;
  /** A new one can be PUT, with its id in the path. Refuses one that cannot be an id. */
  check(id: string, body: NounBody): void;
  /** Its name in the path, if that is not `policy_id`. */
  readonly parameter?: string;
  readonly filter?: 'text';
}

export interface NounDefinition<One extends NounName> {
  /** What stands before the name in its path, if that is not /v3. */
  readonly under?: `/v3/${string}`;
  /** There are no attributes beside the fields. */
  readonly isClosed?: boolean;
  /** Its heading in the API document. */
  readonly tag: string;
  /** All columns but its id, those that only clients know, and those that hooks say: when it was made, and what has ended since. */
  readonly fields: { readonly [K in Exclude<keyof RowOf<One>, 'id' | 'extra' | 'created_at' | 'epoch'>]: Field<RowOf<One>[K]> };
  /** Other names, which are no columns: what requests may say (a hook reads it), and what answers say. */
  readonly aliases?: Readonly<Record<string, { readonly body: Schema; readonly answer: Schema; show(row: RowOf<One>): unknown }>>;
  /** Without it, this service makes the ids. */
  readonly id?: ChosenId;
  /** Attributes of which the API document tells, but which are stored with those that only clients know. */
  readonly documented?: Readonly<Record<string, Schema>>;
  /** One is shown with its version (ETag), and a change may ask for it (If-Match). */
  readonly isVersioned?: boolean;
  /** The cached reads that a change ends. */
  readonly invalidates?: string;
  /** Where the API document says more than "Change a policy". */
  readonly words?: Readonly<Partial<Record<Verb, Words>>>;
  /** A request for a new one, and a change of it, for the API document. Tests make one of it. The ids of others are those of `exampleId`. */
  readonly examples: { readonly id?: string; readonly create: NounBody; readonly change: NounBody };
  /** What hooks refuse, for the API document. */
  readonly refusals?: Readonly<Partial<Record<Verb, readonly FaultCode[]>>>;
  readonly hooks?: (deps: NounDeps) => NounHooks<One>;
}

export interface NounDeps extends Pick<Deps, 'db' | 'change' | 'clock'> {
  /** The address of the service. */
  issuer(): string;
}

/** What is special about a change, in its transaction. */
export interface NounHooks<One extends NounName> {
  /**
   * For a new row, or before a row is locked (by If-Match it is locked already). Refuses what must not be, locks what has to be locked
   * first, and returns the columns that the fields alone do not give. A hook may name the type of the body that its fields make.
   */
  prepare?(change: Change, body: NounBody, id: string, isNew: boolean): Promise<Partial<RowOf<One>> | undefined>;
  /** A row that this one refers to is gone. */
  brokenReference?(row: RowOf<One>): never;
  /** Deletes the row; false if there is none. Without this hook: the row, and nothing else. */
  remove?(change: Change, row: RowOf<One>): Promise<boolean>;
}

/** A request for a new one, or a change: already checked by the schema. */
export type NounBody = Readonly<Record<string, unknown>>;

const pascal = (name: string): string => name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
export const withArticle = (name: string): string => `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name.replaceAll('_', ' ')}`;

/** The id that examples have of one. */
export const exampleId = (one: NounName): string => createHash('sha256').update(one).digest('hex').slice(0, 32);

/** The schemas of a noun, and its JSON. */
export function defineNoun<One extends NounName>(one: One, definition: NounDefinition<One>) {
  type Row = RowOf<One>;
  const { under = '/v3', isClosed = false, documented = {}, id: chosen } = definition;
  const isOnlyPut = chosen !== undefined && chosen.body === undefined;
  const table: TableOf<One> = NOUN_NAMES[one].many;
  const many: string = table;
  const aliases = Object.entries(definition.aliases ?? {});
  const fields = Object.entries(definition.fields) as [name: string, field: Field<unknown>][];
  const schemasOf = (those: typeof fields): Record<string, Schema> =>
    Object.fromEntries(those.map(([name, { body }]) => [name, body]));
  const needed = fields.filter(([, { initial }]) => initial === undefined);
  const others = fields.filter(([, { initial }]) => initial !== undefined);

  const names = [...fields, ...aliases].map(([name]) => name);
  const besides = { ...Object.fromEntries(aliases.map(([name, { body }]) => [name, body])), ...documented };
  // Clients send back what they were shown. An id that may not be given is ignored in a new one.
  const id = isClosed && !isOnlyPut ? { id: t.string() } : {};
  const shape = isClosed ? t.object : t.open;
  const New = shape(schemasOf(needed), { ...id, ...(chosen?.body ? { id: chosen.body } : {}), ...schemasOf(others), ...besides });
  const Changes = t.changes(shape({}, { ...id, ...schemasOf(fields), ...besides }));
  const answers = Object.fromEntries([...fields, ...aliases].map(([name, { body, answer = body }]) => [name, answer]));
  const Shown = shape({ id: t.string(), ...answers, links: Links }, documented);
  const schemas = {
    Create: t.envelope(one, New),
    Update: t.envelope(one, Changes),
    Envelope: t.envelope(one, Shown),
    List: t.object({ links: ListLinks, [many]: t.array(Shown) }),
  };
  const Name = pascal(one);
  t.name({ [`New${Name}`]: New, [`${Name}Changes`]: Changes, [Name]: Shown });
  t.name({
    [`Create${Name}`]: schemas.Create,
    [`Update${Name}`]: schemas.Update,
    [`${Name}Envelope`]: schemas.Envelope,
    [`${Name}List`]: schemas.List,
  });

  const render = (base: string, row: Row) => ({
    ...(row.extra === undefined ? {} : parseJson(row.extra)),
    id: row.id,
    ...Object.fromEntries(
      fields.map(([name, { show }]) => [name, show ? show(row[name as never]) : row[name as never]] as const),
    ),
    ...Object.fromEntries(aliases.map(([name, { show }]) => [name, show(row)])),
    links: { self: `${base}${under}/${many}/${encodeURIComponent(row.id)}` },
  });

  const filtered = Object.entries<{ readonly filter?: 'text' | 'flag' }>({ id: chosen ?? {}, ...definition.fields });
  const filterable = (kind: 'text' | 'flag') => filtered.filter(([, { filter }]) => filter === kind).map(([name]) => name);
  return {
    ...definition,
    one,
    many,
    table,
    path: `${under}/${many}` as const,
    parameter: chosen?.parameter ?? `${one}_id`,
    isOnlyPut,
    schemas,
    filters: Object.fromEntries(
      filtered.flatMap(([name, { filter: kind }]) => (kind ? [[name, { column: `${table}.${name}`, kind }]] : [])),
    ) as Filters,
    filterDocumentation: filterDocumentation(filterable('text'), filterable('flag')),

    render,

    /** A list without pages, as an answer. */
    listOf: (call: Parameters<typeof wholeList>[0], rows: readonly Row[]) => wholeList(call, many, rows, render),

    /** The columns that a request names. */
    columnsOf: (body: NounBody): Partial<Row> =>
      Object.fromEntries(
        fields.flatMap(([name, { store }]) => {
          const said = body[name];
          return said === undefined ? [] : [[name, store ? store(said as never) : said]];
        }),
      ) as never,
    initial: Object.fromEntries(others.map(([name, { initial }]) => [name, initial])) as Partial<Row>,
    /** The column with the attributes of a request that are no columns, added to those that a row had before. */
    extraOf: (body: NounBody, before = '{}'): { extra?: string } =>
      isClosed ? {} : { extra: mergeExtra(before, extraOf(body, names)) },
  };
}

export type Noun<One extends NounName> = ReturnType<typeof defineNoun<One>>;

/** What can be done with the rows. Each change is one transaction with its audit event. */
export function nounRules<One extends NounName>(noun: Noun<One>, deps: NounDeps) {
  type Row = RowOf<One>;
  const { one, table } = noun;
  const { db, change } = deps;
  const hooks: NounHooks<One> = noun.hooks?.(deps) ?? {};
  const missing = (id: string): never => fail(`${one as 'policy'}.not_found`, { id });

  const { brokenReference } = hooks;
  const write = (row: Row, statement: () => Promise<void>): Promise<void> =>
    brokenReference ? failOnBrokenReference(() => brokenReference(row), statement) : statement();

  /** A change, with what follows from each. */
  const inChange = <T>(
    caller: Caller,
    id: string,
    verb: 'created' | 'updated' | 'deleted',
    work: (change: Change) => Promise<T>,
    fields?: NounBody,
  ) =>
    change(caller, async (transaction) => {
      const result = await work(transaction);
      if (noun.invalidates !== undefined) transaction.invalidate(noun.invalidates);
      transaction.audit(`${one}.${verb}`, { kind: one, id }, fields ? { fields: Object.keys(fields) } : undefined);
      return result;
    });

  return {
    find: async (id: string): Promise<Row> => (await findRow(db.read, table, id)) ?? missing(id),

    target: async (id: string): Promise<IdentityTarget<Row>> =>
      targetOf(
        await findRow(db.read, table, id),
        () => ({}),
        () => missing(id),
      ),

    async list(query: Query) {
      return foundPage(query, await listRows(db, table, pageOf(query), criteriaOf(query, noun.filters)));
    },

    /** `idInPath`: of a request that names the id of the new one in its path. */
    create(caller: Caller, body: NounBody, idInPath?: string): Promise<Row> {
      const id = idInPath ?? ((noun.id?.body && (body.id as string | null | undefined)) || newId());
      const said = { ...noun.initial, ...noun.columnsOf(body), ...noun.extraOf(body) };
      return inChange(caller, id, 'created', async (transaction) => {
        const row = { id, ...said, ...(await hooks.prepare?.(transaction, body, id, true)) } as Row;
        await write(row, () => failOnDuplicate(one, 'ID', id, () => insertRow(transaction.tx, table, row)));
        return row;
      });
    },

    async update(caller: Caller, { id }: Row, body: NounBody): Promise<Row> {
      if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: one.replaceAll('_', ' ') });
      const work = async (transaction: Change): Promise<Row> => {
        const prepared = await hooks.prepare?.(transaction, body, id, false);
        const before = (await lockNoun(db, transaction.tx, table, id)) ?? missing(id);
        const row: Row = { ...before, ...noun.columnsOf(body), ...prepared, ...noun.extraOf(body, before.extra) };
        await write(row, () => updateRow(transaction.tx, table, row));
        return row;
      };
      return inChange(caller, id, 'updated', work, body);
    },

    async remove(caller: Caller, row: Row): Promise<void> {
      await inChange(caller, row.id, 'deleted', async (transaction) => {
        const wasThere = await (hooks.remove?.(transaction, row) ?? deleteRow(transaction.tx, table, row.id));
        if (!wasThere) missing(row.id);
      });
    },
  };
}

export type NounRules<One extends NounName> = ReturnType<typeof nounRules<One>>;
/** Those of all nouns. */
export type Nouns = { readonly [One in NounName]: NounRules<One> };
