// Applications that come with the installation: created when missing, updated when their address changes.
import { isDeepStrictEqual } from 'node:util';
import { isUniqueViolation } from '../../../platform/database/index.ts';
import type { Actor, Change } from '../../ground/audit/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import { parseJson } from '../../ground/resource/index.ts';
import { findConsumer, lockConsumer, updateConsumer } from './consumers.store.ts';
import { insertNewConsumer, type NewConsumer } from './create.rules.ts';
import { type ConsumerDeps, tagOfConsumer } from './deps.ts';
import { type ConsumerWithSecret, withSecret } from './secrets.rules.ts';

/** The values that change with the address of the installation. */
export interface ConsumerValues {
  readonly redirect_uris: readonly string[];
  readonly extra: Readonly<Record<string, unknown>>;
}
export type ConsumerBodyBuilder = (current: ConsumerValues | undefined) => NewConsumer & ConsumerValues;

const valuesOf = (row: ConsumerRow): ConsumerValues => ({
  redirect_uris: JSON.parse(row.redirect_uris) as string[],
  extra: parseJson(row.extra),
});

const columnsOf = ({ redirect_uris: uris, extra }: ConsumerValues) => ({
  redirect_uris: JSON.stringify(uris),
  extra: JSON.stringify(extra),
});

/** Rolls back a change that is no longer needed: another process wrote the same values. */
class AlreadyUpToDate extends Error {}

/** Updates a consumer to what `bodyOf` makes of its current values, with the row locked. */
async function updateInstalled(
  { db }: ConsumerDeps,
  { tx, audit, invalidate }: Change,
  id: string,
  bodyOf: ConsumerBodyBuilder,
): Promise<ConsumerRow | undefined> {
  const current = await lockConsumer(db, tx, id);
  if (!current) return undefined;
  const values = columnsOf(bodyOf(valuesOf(current)));
  if (isDeepStrictEqual(values, columnsOf(valuesOf(current)))) throw new AlreadyUpToDate();
  await updateConsumer(tx, id, values);
  invalidate(tagOfConsumer(id));
  audit('consumer.updated', { kind: 'consumer', id }, { fields: Object.keys(values) });
  return { ...current, ...values };
}

/** Creates the consumer when it is missing, and updates it when its values differ. */
export async function ensureConsumer(
  deps: ConsumerDeps,
  actor: Actor,
  id: string,
  bodyOf: ConsumerBodyBuilder,
): Promise<ConsumerWithSecret> {
  const found = await findConsumer(deps.db.read, id);
  const isUpToDate = found && isDeepStrictEqual(columnsOf(bodyOf(valuesOf(found))), columnsOf(valuesOf(found)));
  if (isUpToDate) return withSecret(deps, found);
  try {
    const row = await deps.change(
      actor,
      async (transaction) =>
        (await updateInstalled(deps, transaction, id, bodyOf)) ?? insertNewConsumer(deps, transaction, bodyOf(undefined), id),
    );
    return withSecret(deps, row);
  } catch (error) {
    // Another process was first. Try again, since it may have written other values.
    if (!isUniqueViolation(error) && !(error instanceof AlreadyUpToDate)) throw error;
    return ensureConsumer(deps, actor, id, bodyOf);
  }
}
