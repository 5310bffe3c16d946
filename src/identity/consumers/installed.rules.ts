// Applications that come with the installation.
import { isDeepStrictEqual } from 'node:util';
import { isUniqueViolation } from '../../platform/database/index.ts';
import type { Actor, Change } from '../audit/index.ts';
import type { ConsumerRow } from '../database.ts';
import { parsed } from '../resource/index.ts';
import { findConsumer, lockConsumer, updateConsumer } from './consumers.store.ts';
import { insertNew, type NewConsumer } from './create.rules.ts';
import { type ConsumerDeps, tagOfConsumer } from './deps.ts';
import { type ConsumerWithSecret, withSecret } from './secrets.rules.ts';

/** What an application that comes with the installation is moved by. */
export interface ConsumerValues {
  readonly redirect_uris: readonly string[];
  readonly extra: Readonly<Record<string, unknown>>;
}
export type BodyOf = (held: ConsumerValues | undefined) => NewConsumer & ConsumerValues;

const valuesOf = (row: ConsumerRow): ConsumerValues => ({
  redirect_uris: JSON.parse(row.redirect_uris) as string[],
  extra: parsed(row.extra),
});

const columnsOf = ({ redirect_uris: uris, extra }: ConsumerValues) => ({
  redirect_uris: JSON.stringify(uris),
  extra: JSON.stringify(extra),
});

/** Ends a change that has nothing to change: another process wrote the same meanwhile. */
class AlreadyThere extends Error {}

/** Written by `bodyOf`, from what is there while nobody else changes it. */
async function move(
  { db }: ConsumerDeps,
  { tx, audit, invalidate }: Change,
  id: string,
  bodyOf: BodyOf,
): Promise<ConsumerRow | undefined> {
  const held = await lockConsumer(db, tx, id);
  if (!held) return undefined;
  const values = columnsOf(bodyOf(valuesOf(held)));
  if (isDeepStrictEqual(values, columnsOf(valuesOf(held)))) throw new AlreadyThere();
  await updateConsumer(tx, id, values);
  invalidate(tagOfConsumer(id));
  audit('consumer.updated', { kind: 'consumer', id }, { fields: Object.keys(values) });
  return { ...held, ...values };
}

/** Made when it is missing, and moved when its address is another. */
export async function ensureConsumer(deps: ConsumerDeps, actor: Actor, id: string, bodyOf: BodyOf): Promise<ConsumerWithSecret> {
  const found = await findConsumer(deps.db.read, id);
  const stays = found && isDeepStrictEqual(columnsOf(bodyOf(valuesOf(found))), columnsOf(valuesOf(found)));
  if (stays) return withSecret(deps, found);
  try {
    const row = await deps.change(
      actor,
      async (transaction) => (await move(deps, transaction, id, bodyOf)) ?? insertNew(deps, transaction, bodyOf(undefined), id),
    );
    return withSecret(deps, row);
  } catch (error) {
    // Another process of the same service was first; ours may still be missing in what it wrote.
    if (!isUniqueViolation(error) && !(error instanceof AlreadyThere)) throw error;
    return ensureConsumer(deps, actor, id, bodyOf);
  }
}
