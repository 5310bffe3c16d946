// Changing a consumer.
import type { Caller } from '../../access/rules/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { parseJson } from '../../ground/resource/index.ts';
import { type ConsumerChanges, checkConsumerBody, extraAttributes } from './attributes.ts';
import { refuseBuiltIn } from './built-in.ts';
import { endGrants, lockConsumer, updateConsumer } from './consumers.store.ts';
import { type ConsumerDeps, tagOfConsumer } from './deps.ts';
import { postLogoutUrisOf, setsPostLogoutUris, withoutNull } from './openid-fields.ts';
import { checkRedirectUriConflicts } from './redirect-uris.ts';

/** Ignores the order. */
const isSameSet = (one: string, other: string): boolean =>
  new Set(JSON.parse(one) as string[]).symmetricDifference(new Set(JSON.parse(other) as string[])).size === 0;

const revisedColumns = (current: ConsumerRow, body: ConsumerChanges) => ({
  name: body.name ?? current.name,
  description: body.description === undefined ? current.description : body.description,
  client_type: body.client_type ?? current.client_type,
  grant_type: body.grant_type ?? current.grant_type,
  redirect_uris: body.redirect_uris ? JSON.stringify(body.redirect_uris) : current.redirect_uris,
  scopes: body.scopes ? JSON.stringify(body.scopes) : current.scopes,
  extra: JSON.stringify(withoutNull({ ...parseJson(current.extra), ...extraAttributes(body) })),
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
  if (body.secret !== undefined) fail('request.bad_value', { field: 'secret', why: 'it cannot be changed with PATCH' });
  checkConsumerBody(body);
  return change(caller, async ({ tx, audit, invalidate }) => {
    const current = (await lockConsumer(db, tx, id)) ?? fail('consumer.not_found', { id });
    const values = revisedColumns(current, body);
    // Only when the URIs change: old rows that fail the check can still be renamed.
    if (body.redirect_uris || setsPostLogoutUris(extraAttributes(body)))
      checkRedirectUriConflicts(JSON.parse(values.redirect_uris) as string[], postLogoutUrisOf(parseJson(values.extra)));
    await updateConsumer(tx, id, values);
    // Codes and tokens issued for the old addresses may be in the wrong hands.
    if (!isSameSet(current.redirect_uris, values.redirect_uris)) await endGrants(tx, id);
    invalidate(tagOfConsumer(id));
    audit('consumer.updated', { kind: 'consumer', id }, { fields: Object.keys(body) });
    return { ...current, ...values };
  });
}
