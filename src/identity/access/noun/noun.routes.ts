// The requests of a noun, and what the API document tells of them.
import type { Documentation } from '../../../platform/http/index.ts';
import type { FaultCode } from '../../ground/faults.ts';
import type { NounName } from '../../ground/noun-names.ts';
import { CHANGE_IF_MATCH, callerIfMatch, DELETE_IF_MATCH, ETAG, listOf, withEtag } from '../../ground/resource/index.ts';
import type { Action, Caller, IdentityApp } from '../rules/index.ts';
import type { RowOf } from './noun.store.ts';
import { exampleId, type Noun, type NounBody, type NounRules, type Nouns, type Verb, withArticle } from './noun.ts';

/** What the API document tells of the five requests beyond their schemas. */
function documentationOf<One extends NounName>(noun: Noun<One>): Readonly<Record<Verb, Documentation>> {
  const { one, many, path, examples, isVersioned, isOnlyPut, refusals = {} } = noun;
  const { create, change, id = exampleId(one) } = examples;
  const base = 'http://127.0.0.1:5000';
  const shown = (body: NounBody) => {
    const row = { id, ...noun.initial, ...noun.columnsOf(body), ...noun.extraOf(body) } as RowOf<One>;
    return noun.render(base, typeof body.id === 'string' ? { ...row, id: body.id } : row);
  };
  const links = { self: `${base}${path}`, previous: null, next: null };
  const missing: FaultCode[] = [`${one}.not_found`];
  const since: FaultCode[] = isVersioned ? ['resource.changed'] : [];
  return {
    list: {
      ...noun.filterDocumentation,
      example: { answers: { 200: { links, [many]: [shown(create)] } } },
      refusals: ['list.marker_not_found'],
    },
    create: {
      example: { request: { [one]: create }, answers: { 201: { [one]: shown(create) } } },
      refusals: [...(refusals.create ?? []), ...(noun.id ? ['resource.duplicate'] : [])],
    },
    show: { ...(isVersioned ? ETAG : {}), example: { answers: { 200: { [one]: shown(create) } } }, refusals: missing },
    change: {
      ...(isVersioned ? CHANGE_IF_MATCH : {}),
      example: { request: { [one]: change }, answers: { 200: { [one]: shown({ ...create, ...change }) } } },
      refusals: [...(refusals.change ?? []), ...missing, ...since, ...(isOnlyPut ? [] : ['resource.id_fixed'])],
    },
    delete: { ...(isVersioned ? DELETE_IF_MATCH : {}), refusals: [...(refusals.delete ?? []), ...missing, ...since] },
  };
}

/** The routes. */
export function mountNoun<One extends NounName>(app: IdentityApp, noun: Noun<One>, nouns: Pick<Nouns, One>): void {
  const { one, many, path, parameter, tag, schemas, isVersioned, isOnlyPut, words = {} } = noun;
  const rules = (): NounRules<One> => nouns[one];
  const item = `${path}/:${parameter}` as '/v3/things/:id';
  const idOf = ({ params }: { params: object }) => (params as Record<string, string>)[parameter]!;
  const target = (call: { params: object }) => rules().target(idOf(call));
  const shown = (base: string, row: RowOf<One>) => {
    const body = { [one]: noun.render(base, row) };
    return isVersioned ? withEtag(row, body) : body;
  };
  const callerOf = (call: Parameters<typeof callerIfMatch<Caller>>[1]): Caller =>
    isVersioned ? callerIfMatch(one, call) : call.caller;
  const documentation = documentationOf(noun);
  const spec = (verb: Verb, action: string, summary: string) => ({
    id: action.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary,
    ...words[verb],
    tag,
    rule: `identity:${action}` as Action,
    documentation: documentation[verb],
  });

  app.get(
    path,
    { ...spec('list', `list_${many}`, `List ${many.replaceAll('_', ' ')}`), reply: { 200: schemas.List } },
    async (call) => listOf(call, many, await rules().list(call.query), noun.render),
  );
  const creation = {
    ...spec('create', `create_${one}`, `Create ${withArticle(one)}`),
    body: schemas.Create,
    reply: { 201: schemas.Envelope },
  };
  if (!isOnlyPut)
    app.post(path, creation, async ({ caller, body, base }) => ({
      [one]: noun.render(base, await rules().create(caller, body[one] as NounBody)),
    }));
  const { id: chosen } = noun;
  if (chosen)
    app.put(
      item,
      isOnlyPut ? creation : { ...creation, id: `${creation.id}WithId`, summary: `${creation.summary} with this id` },
      async (call) => {
        const [id, body] = [idOf(call), call.body[one] as NounBody];
        chosen.check(id, body);
        return { [one]: noun.render(call.base, await rules().create(call.caller, body, id)) };
      },
    );
  app.get(
    item,
    { ...spec('show', `get_${one}`, `Show ${withArticle(one)}`), target, reply: { 200: schemas.Envelope } },
    ({ target: row, base }) => shown(base, row),
  );
  app.patch(
    item,
    {
      ...spec('change', `update_${one}`, `Change ${withArticle(one)}`),
      target,
      body: schemas.Update,
      reply: { 200: schemas.Envelope },
    },
    async (call) => shown(call.base, await rules().update(callerOf(call), call.target, call.body[one] as NounBody)),
  );
  app.delete(item, { ...spec('delete', `delete_${one}`, `Delete ${withArticle(one)}`), target, reply: { 204: null } }, (call) =>
    rules().remove(callerOf(call), call.target),
  );
}
