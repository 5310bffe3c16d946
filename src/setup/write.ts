// Makes the changes of a plan, one request after the other. Each is audited by the service. If one fails, those before it stay, and
// applying the file again goes on from there.
import { type Body, Refusal } from './client.ts';
import { bodyOf, definitionOf, envelopeOf, labelOf, readField, type Work } from './kinds/index.ts';
import type { Change, ExistingItem, Fields, Key, Kind, SetupItem } from './model.ts';
import { isSame, SECRET_FILE } from './plan.ts';
import type { Secrets } from './secrets.ts';
import { pathId, type State } from './state.ts';
import { SetupError, shown } from './text.ts';

const without = (fields: Fields, ...names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

const only = (fields: Fields, ...names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));

function idIn(state: State, kind: Kind | 'user', key: Key): string {
  const id = state.idOf(kind, key);
  if (id === undefined) throw new SetupError(`there is no ${kind === 'user' ? 'user' : labelOf({ kind, key })} any more`);
  return id;
}

/** Returns the id: of things that are created at an address, that address. */
async function create({ state, secrets, ids }: Work, wanted: SetupItem): Promise<string> {
  const { kind, key } = wanted;
  const definition = definitionOf(kind);
  if (definition.create) return definition.create({ state, secrets, ids }, wanted);
  const envelope = envelopeOf(kind);
  const isLater = definition.isDisabledLast && wanted.fields.enabled === false;
  const fields = isLater ? without(wanted.fields, 'enabled', 'immutable') : wanted.fields;
  const body = { ...definition.body?.(key, ids, fields), ...bodyOf(definition, fields, { ids, key }) };
  if (definition.address) {
    const address = definition.address(key, ids);
    const sent = definition.whole?.(fields, fields, wanted, secrets) ?? body;
    await state.client.send('PUT', address, definition.fields && { [envelope]: sent });
    return address;
  }
  const path = definition.collection!;
  if (!definition.isCreatedInList)
    return String(((await state.client.send('POST', path, { [envelope]: body }))[envelope] as Body).id);
  const answer = await state.client.send('POST', path, { [`${envelope}s`]: [body] });
  return String((answer[`${envelope}s`] as Body[])[0]!.id);
}

const changedMeanwhile = (name: string): SetupError =>
  new SetupError(`${shown(name, false)} was changed by somebody else meanwhile; plan again`);

/** Reads it again: what is changed must be what was planned, all of it if all is sent. The ETag makes the service check it once more. */
async function unchanged({ state }: Work, { kind, found, fields }: Change): Promise<string | undefined> {
  const definition = definitionOf(kind);
  const { body, etag } = await state.client.get(found!.url);
  const current = body[envelopeOf(kind)] as Body;
  const names = definition.whole ? Object.keys(definition.fields!) : Object.keys(fields);
  for (const name of names)
    if (!isSame(kind, name, readField(definition, name, current, state), found!.fields[name])) throw changedMeanwhile(name);
  return etag;
}

async function patch(work: Work, change: Change, fields: Fields): Promise<void> {
  const { client } = work.state;
  const { kind, found, wanted } = change;
  const definition = definitionOf(kind);
  const etag = await unchanged(work, change);
  if (definition.whole) {
    const all = definition.whole({ ...found!.fields, ...fields }, fields, wanted!, work.secrets);
    return void (await client.send('PUT', found!.url, { [envelopeOf(kind)]: all }, etag));
  }
  const send = (values: Fields, tag?: string) =>
    client.send(
      'PATCH',
      found!.url,
      {
        [envelopeOf(kind)]:
          definition.sent?.(values, wanted!, work.secrets) ?? bodyOf(definition, values, { ids: work.ids, key: change.key }),
      },
      tag,
    );
  // An immutable thing accepts nothing else together with the end of that.
  if (fields.immutable === false) await send({ immutable: false }, etag);
  const others = fields.immutable === false ? without(fields, 'immutable') : fields;
  if (Object.keys(others).length === 0) return;
  await send(definition.changesAll ? wanted!.fields : others, fields.immutable === false ? undefined : etag);
}

/** It may be gone with something else that was deleted. */
async function remove({ state: { client } }: Work, { url }: ExistingItem): Promise<void> {
  try {
    await client.send('DELETE', url);
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 404)) throw error;
  }
}

/** Disabling waits until everything else is done. */
async function writeOne(work: Work, change: Change, later: (() => Promise<void>)[]): Promise<void> {
  const { action, kind, key, wanted, found } = change;
  if (action === 'delete') return remove(work, found!);
  const definition = definitionOf(kind);
  const fields = Object.fromEntries(Object.entries(change.fields).map(([name, { to }]) => [name, to ?? null]));
  const disables = definition.isDisabledLast && fields.enabled === false;
  const disableLater = (url: string, immutable: Fields): void => {
    const body = { [envelopeOf(kind)]: bodyOf(definition, { enabled: false, ...immutable }, { ids: work.ids, key }) };
    later.push(async () => void (await work.state.client.send('PATCH', url, body)));
  };
  if (action === 'create') {
    const id = await create(work, wanted!);
    work.state.setId(kind, key, id);
    if (disables) disableLater(`${definition.collection}/${pathId(id)}`, only(fields, 'immutable'));
    return;
  }
  if (SECRET_FILE in fields) {
    await definition.finishSecret!(work, change);
    const { [SECRET_FILE]: _, ...others } = change.fields;
    return Object.keys(others).length === 0 ? undefined : writeOne(work, { ...change, fields: others }, later);
  }
  if (!disables) return patch(work, change, fields);
  const protects = fields.immutable === true ? ['immutable'] : [];
  const now = without(fields, 'enabled', ...protects);
  if (Object.keys(now).length > 0) await patch(work, change, now);
  disableLater(found!.url, only(fields, ...protects));
}

export interface WriteOptions {
  readonly state: State;
  readonly secrets: Secrets;
  /** The place of a change in the file, for messages. */
  where(change: Change): string;
  /** Called after each change. */
  onDone(change: Change): void;
}

export async function writeChanges({ state, secrets, where, onDone }: WriteOptions, changes: readonly Change[]): Promise<void> {
  const work: Work = { state, secrets, ids: (kind, key) => idIn(state, kind, key) };
  const later: { readonly change: Change; readonly steps: (() => Promise<void>)[] }[] = [];
  const run = async (change: Change, step: () => Promise<void>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      const why =
        error instanceof Refusal && error.status === 412 ? 'was changed by somebody else meanwhile; plan again' : error.message;
      throw new SetupError(`${where(change)}: ${labelOf(change)}: ${why}`);
    }
  };
  const finish = async (): Promise<void> => {
    // Children before their parents.
    for (const { change, steps } of later.splice(0).reverse()) for (const step of steps) await run(change, step);
  };
  for (const change of changes) {
    if (change.action === 'delete') await finish();
    const steps: (() => Promise<void>)[] = [];
    await run(change, () => writeOne(work, change, steps));
    if (steps.length > 0) later.push({ change, steps });
    onDone(change);
  }
  await finish();
}
