// Changing a consumer.
import type { Caller } from '../access/index.ts';
import type { ConsumerRow } from '../database.ts';
import { fail } from '../faults.ts';
import { parsed } from '../resource/index.ts';
import { type ConsumerChanges, checkSent, extraIn } from './attributes.ts';
import { refuseBuiltIn } from './built-in.ts';
import { endGrants, lockConsumer, updateConsumer } from './consumers.store.ts';
import { type ConsumerDeps, tagOfConsumer } from './deps.ts';
import { afterLogoutOf, namesAfterLogout, withoutNull } from './openid-fields.ts';
import { checkFit } from './redirect-uris.ts';

/** In whatever order. */
const isSameSet = (one: string, other: string): boolean =>
  new Set(JSON.parse(one) as string[]).symmetricDifference(new Set(JSON.parse(other) as string[])).size === 0;

const revised = (held: ConsumerRow, body: ConsumerChanges) => ({
  name: body.name ?? held.name,
  description: body.description === undefined ? held.description : body.description,
  client_type: body.client_type ?? held.client_type,
  grant_type: body.grant_type ?? held.grant_type,
  redirect_uris: body.redirect_uris ? JSON.stringify(body.redirect_uris) : held.redirect_uris,
  scopes: body.scopes ? JSON.stringify(body.scopes) : held.scopes,
  extra: JSON.stringify(withoutNull({ ...parsed(held.extra), ...extraIn(body) })),
});

export async function reviseConsumer(
  { db, change }: ConsumerDeps,
  caller: Caller,
  consumer: ConsumerRow,
  body: ConsumerChanges,
): Promise<ConsumerRow> {
  const { id } = consumer;
  refuseBuiltIn(consumer);
  if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'consumer' });
  if (body.secret !== undefined) fail('request.bad_value', { field: 'secret', why: 'it cannot be changed this way' });
  checkSent(body);
  return change(caller, async ({ tx, audit, invalidate }) => {
    const held = (await lockConsumer(db, tx, id)) ?? fail('consumer.not_found', { id });
    const values = revised(held, body);
    // Rows that are older than this check can still be given another name.
    if (body.redirect_uris || namesAfterLogout(extraIn(body)))
      checkFit(JSON.parse(values.redirect_uris) as string[], afterLogoutOf(parsed(values.extra)));
    await updateConsumer(tx, id, values);
    // What was given for other addresses may be in the hands of whoever has those.
    if (!isSameSet(held.redirect_uris, values.redirect_uris)) await endGrants(tx, id);
    invalidate(tagOfConsumer(id));
    audit('consumer.updated', { kind: 'consumer', id }, { fields: Object.keys(body) });
    return { ...held, ...values };
  });
}
