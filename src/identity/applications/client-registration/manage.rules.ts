// An application manages its registration (RFC 7592), by the token that it got when it registered. Whoever keeps an application ends that: the
// stranger changes nothing any more that somebody vouches for.
import type { ConsumerRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { ConsumerWithSecret } from '../consumers/index.ts';
import { findConsumer } from '../consumers/index.ts';
import type { ClientRegistrationDeps, Stranger } from './deps.ts';
import { isLive } from './live.ts';
import { type Metadata, readMetadata } from './metadata.ts';
import { ALLOWS, type Policy } from './policy.ts';
import { actorOf, checkName, refuseToken } from './register.rules.ts';
import { bearerIn, hashOf, isHashOf, newToken } from './secrets.ts';

const owns = (row: ConsumerRow | undefined, token: string): row is ConsumerRow =>
  row?.registration_access_hash != null && isHashOf(token, row.registration_access_hash);

/** Without a token, with that of another application, and for one that does not exist: all the same. */
async function find(deps: ClientRegistrationDeps, stranger: Stranger, id: string): Promise<{ row: ConsumerRow; token: string }> {
  const { db, gate } = deps;
  const token = bearerIn(stranger.authorization) ?? '';
  gate.checkSecret(stranger, undefined);
  const row = await findConsumer(db.read, id);
  if (owns(row, token)) return { row, token };
  gate.wrongSecret(stranger, undefined);
  return refuseToken();
}

async function policyOf({ domainSettings }: ClientRegistrationDeps, row: ConsumerRow): Promise<Policy> {
  const { registration_domain_id: domainId } = row;
  return (domainId === null ? domainSettings.defaults() : await domainSettings.of(domainId)).application_registration;
}

export async function showItself(deps: ClientRegistrationDeps, stranger: Stranger, id: string) {
  const { row, token } = await find(deps, stranger, id);
  if (!(await isLive(deps, row))) refuseToken();
  return { row: deps.consumers.withSecret(row), accessToken: token };
}

/** What must not be in the body, or must be what it is (RFC 7592, 2.2). */
function checkFixed({ client_id: id, client_secret: secret, ...metadata }: Metadata, row: ConsumerWithSecret): Metadata {
  const refuse = (field: string, why: string) => fail('oauth.invalid_client_metadata', { field, why });
  if (id !== row.id) refuse('client_id', 'it is not that of this application');
  if (secret !== undefined && (row.client_type !== 'confidential' || secret !== row.plainSecret))
    refuse('client_secret', 'it is not that of this application');
  for (const field of ['registration_access_token', 'registration_client_uri', 'client_secret_expires_at', 'client_id_issued_at'])
    if (metadata[field] !== undefined) refuse(field, 'it is not changed in this way');
  return metadata;
}

/** All that it says is replaced, and its token is another one then. Nothing goes beyond the policy of today. */
export async function changeItself(deps: ClientRegistrationDeps, stranger: Stranger, id: string, body: Metadata) {
  const { change, consumers } = deps;
  const { row, token } = await find(deps, stranger, id);
  const policy = await policyOf(deps, row);
  if (!ALLOWS[row.registered_by ?? 'token'](policy)) fail('oauth.registration_off');
  const wanted = readMetadata(checkFixed(body, consumers.withSecret(row)), policy);
  if (wanted.name !== row.name) await checkName(deps, wanted);
  const accessToken = newToken('access');
  const changed = await change(actorOf(stranger), async (transaction) => {
    const current = await consumers.lock(transaction, id);
    // It was deleted or kept since, or the token was used for another change.
    if (!owns(current, token)) return refuseToken();
    transaction.audit('consumer.changed_itself', { kind: 'consumer', id });
    return consumers.rewriteRegistered(transaction, current, wanted, { registration_access_hash: hashOf(accessToken) });
  });
  return { row: consumers.withSecret(changed), accessToken };
}

export async function removeItself(deps: ClientRegistrationDeps, stranger: Stranger, id: string): Promise<void> {
  const { change, consumers } = deps;
  const { token } = await find(deps, stranger, id);
  await change(actorOf(stranger), async (transaction) => {
    const current = await consumers.lock(transaction, id);
    if (!owns(current, token)) return refuseToken();
    await consumers.removeRegistered(transaction, current, 'by_itself');
  });
}
