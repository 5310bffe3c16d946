// A noun of the base API: a table, and the requests that list, create, show, change and delete its rows. A module says what is its own
// (`defineNoun`, and hooks for what is special), and this file makes of it what all nouns have: schemas, rules and routes. What is odd
// stays a plain route in the module.
// All names follow from two. A `policy` of the `policies` has the path /v3/policies/:policy_id, the rule identity:update_policy, the
// fault policy.not_found, the audit event policy.updated, the schemas NewPolicy and PolicyEnvelope, the operation updatePolicy.
import { type Query, type Schema, t } from '../../../platform/http/index.ts';
import { newId } from '../../../platform/ids.ts';
import type { Change } from '../../ground/audit/index.ts';
import { fail, type identityFaults } from '../../ground/faults.ts';
import {
  bit,
  CHANGE_IF_MATCH,
  callerIfMatch,
  criteriaOf,
  DELETE_IF_MATCH,
  type Deps,
  ETAG,
  extraOf,
  type Filters,
  failOnBrokenReference,
  failOnDuplicate,
  filterDocumentation,
  Links,
  ListLinks,
  listOf,
  mergeExtra,
  pageOf,
  parseJson,
  single,
  type VersionedKind,
  withEtag,
} from '../../ground/resource/index.ts';
import { type Action, type Caller, type IdentityApp, type IdentityTarget, targetOf } from '../rules/index.ts';
import { deleteRow, findRow, insertRow, listRows, lockNoun, type NounTable, type RowOf, updateRow } from './noun.store.ts';

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
export const flag = (initial: boolean): Field<number> => ({
  body: t.boolean(),
  initial: bit(initial),
  store: bit,
  show: (column) => column === 1,
  filter: 'flag',
});

/** Names for which there are rules of access, and the fault that there is no such thing. */
type Named<Verb extends string, A = Action> = A extends `identity:${Verb}_${infer Name}` ? Name : never;
type Missing<Code = keyof typeof identityFaults> = Code extends `${infer Name}.not_found` ? Name : never;
type One = Named<'get'> & Named<'create'> & Named<'update'> & Named<'delete'> & Missing;
type Many = Named<'list'>;

interface Words {
  readonly summary?: string;
  readonly description?: string;
}

export interface NounDefinition<Table extends NounTable> {
  readonly table: Table;
  /** The names of one and of many: in paths, envelopes, rules, faults and audit events. */
  readonly one: One;
  readonly many: Many;
  /** What stands before the name in its path, if that is not /v3. */
  readonly under?: `/v3/${string}`;
  /** There are no attributes beside the fields. */
  readonly isClosed?: boolean;
  /** Its heading in the API document. */
  readonly tag: string;
  readonly fields: { readonly [K in Exclude<keyof RowOf<Table>, 'id' | 'extra'>]: Field<RowOf<Table>[K]> };
  /** Other names, which are no columns: what requests may say (a hook reads it), and what answers say. */
  readonly aliases?: Readonly<
    Record<string, { readonly body: Schema; readonly answer: Schema; show(row: RowOf<Table>): unknown }>
  >;
  /** Requests for a new one may bring its id. */
  readonly givenId?: Schema<string | null>;
  /** Attributes of which the API document tells, but which are stored with those that only clients know. */
  readonly documented?: Readonly<Record<string, Schema>>;
  /** One is shown with its version (ETag), and a change may ask for it (If-Match). */
  readonly version?: VersionedKind & One;
  /** The cached reads that a change ends. */
  readonly invalidates?: string;
  /** Where the API document says more than "Change a policy". */
  readonly words?: Readonly<Partial<Record<'list' | 'create' | 'show' | 'change' | 'delete', Words>>>;
}

/** What is special about a change, in its transaction. */
export interface NounHooks<Table extends NounTable> {
  /**
   * For a new row, or before a row is locked (by If-Match it is locked already). Refuses what must not be, locks what has to be locked
   * first, and returns the columns that the fields alone do not give. A hook may name the type of the body that its fields make.
   */
  prepare?(change: Change, body: NounBody, id: string, isNew: boolean): Promise<Partial<RowOf<Table>> | undefined>;
  /** A row that this one refers to is gone. */
  brokenReference?(row: RowOf<Table>): never;
  /** Deletes the row; false if there is none. Without this hook: the row, and nothing else. */
  remove?(change: Change, row: RowOf<Table>): Promise<boolean>;
}

/** A request for a new one, or a change: already checked by the schema. */
export type NounBody = Readonly<Record<string, unknown>>;

const pascal = (name: string): string => name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
const withArticle = (name: string): string => `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name.replaceAll('_', ' ')}`;

/** The schemas of a noun, and its JSON. */
export function defineNoun<Table extends NounTable>(definition: NounDefinition<Table>) {
  const { one, many, under = '/v3', isClosed = false, documented = {}, givenId } = definition;
  const aliases = Object.entries(definition.aliases ?? {});
  const fields = Object.entries(definition.fields) as [name: string, field: Field<unknown>][];
  const schemasOf = (those: typeof fields): Record<string, Schema> =>
    Object.fromEntries(those.map(([name, { body }]) => [name, body]));
  const needed = fields.filter(([, { initial }]) => initial === undefined);
  const others = fields.filter(([, { initial }]) => initial !== undefined);

  const names = [...fields, ...aliases].map(([name]) => name);
  const besides = { ...Object.fromEntries(aliases.map(([name, { body }]) => [name, body])), ...documented };
  // Clients send back what they were shown. An id that may not be given is ignored in a new one.
  const id = isClosed ? { id: t.string() } : {};
  const shape = isClosed ? t.object : t.open;
  const New = shape(schemasOf(needed), { ...id, ...(givenId ? { id: givenId } : {}), ...schemasOf(others), ...besides });
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

  const filterable = (kind: 'text' | 'flag') => fields.filter(([, { filter }]) => filter === kind).map(([name]) => name);
  return {
    ...definition,
    path: `${under}/${many}` as const,
    schemas,
    filters: Object.fromEntries(
      fields.flatMap(([name, { filter: kind }]) => (kind ? [[name, { column: `${definition.table}.${name}`, kind }]] : [])),
    ) as Filters,
    filterDocumentation: filterDocumentation(filterable('text'), filterable('flag')),

    render: (base: string, row: RowOf<Table>) => ({
      ...(row.extra === undefined ? {} : parseJson(row.extra)),
      id: row.id,
      ...Object.fromEntries(
        fields.map(([name, { show }]) => [name, show ? show(row[name as never]) : row[name as never]] as const),
      ),
      ...Object.fromEntries(aliases.map(([name, { show }]) => [name, show(row)])),
      links: { self: `${base}${under}/${many}/${encodeURIComponent(row.id)}` },
    }),

    /** The columns that a request names. */
    columnsOf: (body: NounBody): Partial<RowOf<Table>> =>
      Object.fromEntries(
        fields.flatMap(([name, { store }]) => {
          const said = body[name];
          return said === undefined ? [] : [[name, store ? store(said as never) : said]];
        }),
      ) as never,
    initial: Object.fromEntries(others.map(([name, { initial }]) => [name, initial])) as Partial<RowOf<Table>>,
    /** The column with the attributes of a request that are no columns, added to those that a row had before. */
    extraOf: (body: NounBody, before = '{}'): { extra?: string } =>
      isClosed ? {} : { extra: mergeExtra(before, extraOf(body, names)) },
  };
}

export type Noun<Table extends NounTable> = ReturnType<typeof defineNoun<Table>>;

/** What can be done with the rows. Each change is one transaction with its audit event. */
export function nounRules<Table extends NounTable>(
  noun: Noun<Table>,
  { db, change }: Pick<Deps, 'db' | 'change'>,
  hooks: NounHooks<Table> = {},
) {
  type Row = RowOf<Table>;
  const { one, table } = noun;
  const missing = (id: string): never => fail(`${one}.not_found` as 'policy.not_found', { id });

  const { brokenReference } = hooks;
  const write = (row: Row, statement: () => Promise<void>): Promise<void> =>
    brokenReference ? failOnBrokenReference(() => brokenReference(row), statement) : statement();

  /** A change, with what follows from each. */
  const inChange = <T>(caller: Caller, id: string, verb: string, work: (change: Change) => Promise<T>, fields?: NounBody) =>
    change(caller, async (transaction) => {
      const result = await work(transaction);
      if (noun.invalidates !== undefined) transaction.invalidate(noun.invalidates);
      transaction.audit(`${one}.${verb}`, { kind: one, id }, fields ? { fields: Object.keys(fields) } : undefined);
      return result;
    });

  return {
    target: async (id: string): Promise<IdentityTarget<Row>> =>
      targetOf(
        await findRow(db.read, table, id),
        () => ({}),
        () => missing(id),
      ),

    async list(query: Query) {
      const page = await listRows(db, table, pageOf(query), criteriaOf(query, noun.filters));
      return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
    },

    /** `idInPath`: of a request that names the id of the new one in its path. */
    create(caller: Caller, body: NounBody, idInPath?: string): Promise<Row> {
      const idInBody = noun.givenId ? (body.id as string | null | undefined) : undefined;
      const id = idInPath ?? (idInBody || newId());
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
        const given = await hooks.prepare?.(transaction, body, id, false);
        const before = (await lockNoun(db, transaction.tx, table, id)) ?? missing(id);
        const row: Row = { ...before, ...noun.columnsOf(body), ...given, ...noun.extraOf(body, before.extra) };
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

export type NounRules<Table extends NounTable> = ReturnType<typeof nounRules<Table>>;

/** The five routes. */
export function mountNoun<Table extends NounTable>(app: IdentityApp, noun: Noun<Table>, rules: NounRules<Table>): void {
  const { one, many, path, tag, schemas, version, words = {} } = noun;
  const item = `${path}/:${one}_id` as '/v3/things/:id';
  const target = ({ params }: { params: object }) => rules.target((params as Record<string, string>)[`${one}_id`]!);
  const shown = (base: string, row: RowOf<Table>) => {
    const body = { [one]: noun.render(base, row) };
    return version ? withEtag(row, body) : body;
  };
  const callerOf = (call: Parameters<typeof callerIfMatch<Caller>>[1]): Caller =>
    version ? callerIfMatch(version, call) : call.caller;
  const Name = pascal(one);
  const spec = (verb: keyof typeof words, id: string, summary: string, rule: string) => ({
    id,
    summary,
    ...words[verb],
    tag,
    rule: rule as Action,
  });

  app.get(
    path,
    {
      ...spec('list', `list${pascal(many)}`, `List ${many.replaceAll('_', ' ')}`, `identity:list_${many}`),
      documentation: noun.filterDocumentation,
      reply: { 200: schemas.List },
    },
    async (call) => {
      const page = await rules.list(call.query);
      return listOf(call, many, { ...page, items: page.items.map((row) => noun.render(call.base, row)) });
    },
  );
  app.post(
    path,
    {
      ...spec('create', `create${Name}`, `Create ${withArticle(one)}`, `identity:create_${one}`),
      body: schemas.Create,
      reply: { 201: schemas.Envelope },
    },
    async ({ caller, body, base }) => ({ [one]: noun.render(base, await rules.create(caller, body[one] as NounBody)) }),
  );
  app.get(
    item,
    {
      ...spec('show', `get${Name}`, `Show ${withArticle(one)}`, `identity:get_${one}`),
      target,
      ...(version ? { documentation: ETAG } : {}),
      reply: { 200: schemas.Envelope },
    },
    ({ target: row, base }) => shown(base, row),
  );
  app.patch(
    item,
    {
      ...spec('change', `update${Name}`, `Change ${withArticle(one)}`, `identity:update_${one}`),
      target,
      body: schemas.Update,
      ...(version ? { documentation: CHANGE_IF_MATCH } : {}),
      reply: { 200: schemas.Envelope },
    },
    async (call) => shown(call.base, await rules.update(callerOf(call), call.target, call.body[one] as NounBody)),
  );
  app.delete(
    item,
    {
      ...spec('delete', `delete${Name}`, `Delete ${withArticle(one)}`, `identity:delete_${one}`),
      target,
      ...(version ? { documentation: DELETE_IF_MATCH } : {}),
      reply: { 204: null },
    },
    (call) => rules.remove(callerOf(call), call.target),
  );
}
