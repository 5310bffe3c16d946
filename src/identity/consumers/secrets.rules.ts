// The secret of a consumer: stored encrypted, decrypted for those who may see it, and replaced.
import { newSecret } from '../../platform/ids.ts';
import type { Seal } from '../../platform/seal/index.ts';
import type { Actor, Change } from '../audit/index.ts';
import type { ConsumerRow } from '../database.ts';
import { fail } from '../faults.ts';
import { findConsumer, readSecrets, updateConsumer } from './consumers.store.ts';
import { type ConsumerDeps, tagOfConsumer } from './deps.ts';

export type ConsumerWithSecret = ConsumerRow & { readonly plainSecret: string };

const sealContext = (id: string): string => `consumers/${id}`;

export const newSealedSecret = (seal: Seal, id: string): string => seal.seal(Buffer.from(newSecret()), sealContext(id));

export const withSecret = ({ seal }: Pick<ConsumerDeps, 'seal'>, row: ConsumerRow): ConsumerWithSecret => ({
  ...row,
  plainSecret: seal.open(row.secret, sealContext(row.id)).toString(),
});

export async function rotateSecret(deps: ConsumerDeps, actor: Actor, id: string): Promise<ConsumerWithSecret> {
  const secret = newSealedSecret(deps.seal, id);
  const row = await deps.change(actor, async ({ tx, audit, invalidate }) => {
    const consumer = (await findConsumer(tx, id)) ?? fail('consumer.not_found', { id });
    await updateConsumer(tx, id, { secret });
    invalidate(tagOfConsumer(id));
    audit('consumer.secret_rotated', { kind: 'consumer', id });
    return { ...consumer, secret };
  });
  return withSecret(deps, row);
}

/** After a change of the master key: encrypts every secret again with the current one. Returns how many. */
export async function resealSecrets({ seal }: Pick<ConsumerDeps, 'seal'>, { tx }: Change): Promise<number> {
  const rows = await readSecrets(tx);
  for (const { id, secret } of rows)
    await updateConsumer(tx, id, { secret: seal.seal(seal.open(secret, sealContext(id)), sealContext(id)) });
  return rows.length;
}
