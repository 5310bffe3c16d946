// Consumers of OAuth1: programs that sign their requests. Administrators register them.
import { seconds } from '../../../platform/clock.ts';
import type { Query, Static } from '../../../platform/http/index.ts';
import { newId, newSecret } from '../../../platform/ids.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import { tagOf } from '../../access/context/index.ts';
import { type Caller, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import type { OAuth1ConsumerRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, extraOf, foundPage, mergeExtra, pageOf } from '../../ground/resource/index.ts';
import { type CreateOAuth1Consumer, consumerFields, type UpdateOAuth1Consumer } from './oauth1.schema.ts';
import { deleteConsumer, findConsumer, insertConsumer, listConsumers, lockConsumer, updateConsumer } from './oauth1.store.ts';

type NewConsumer = Static<typeof CreateOAuth1Consumer>['consumer'];
type ConsumerChanges = Static<typeof UpdateOAuth1Consumer>['consumer'];

export const consumerContext = (id: string): string => `oauth1_consumers/${id}`;

/** As Keystone names them: `some:weird-field` is stored as `some_weird_field`. */
const extraNames = (body: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(extraOf(body, consumerFields)).map(([name, value]) => [name.replace(/[:-]/g, '_'), value]));

export function createOAuth1Consumers({ db, clock, change, seal }: Pick<Deps, 'db' | 'clock' | 'change'> & { seal: Seal }) {
  return {
    target: async (id: string): Promise<IdentityTarget<OAuth1ConsumerRow>> =>
      targetOf(
        await findConsumer(db.read, id),
        () => ({}),
        () => fail('oauth1.consumer_not_found', { id }),
      ),

    async list(query: Query) {
      return foundPage(query, await listConsumers(db, pageOf(query)));
    },

    async create(caller: Caller, body: NewConsumer): Promise<{ row: OAuth1ConsumerRow; secret: string }> {
      const [id, secret] = [newId(), newSecret()];
      const row: OAuth1ConsumerRow = {
        id,
        description: body.description ?? null,
        secret: seal.seal(Buffer.from(secret), consumerContext(id)),
        extra: JSON.stringify(extraNames(body)),
        created_at: seconds(clock),
      };
      await change(caller, async ({ tx, audit }) => {
        await insertConsumer(tx, row);
        audit('oauth1_consumer.created', { kind: 'oauth1_consumer', id });
      });
      return { row, secret };
    },

    async update(caller: Caller, { id }: OAuth1ConsumerRow, body: ConsumerChanges): Promise<OAuth1ConsumerRow> {
      if ('secret' in body) fail('request.bad_value', { field: 'secret', why: 'it cannot be changed' });
      if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'consumer' });
      return change(caller, async ({ tx, audit }) => {
        // As it is now, so that concurrent updates do not overwrite each other.
        const row = (await lockConsumer(db, tx, id)) ?? fail('oauth1.consumer_not_found', { id });
        const values = {
          description: body.description === undefined ? row.description : body.description,
          extra: mergeExtra(row.extra, extraNames(body)),
        };
        await updateConsumer(tx, id, values);
        audit('oauth1_consumer.updated', { kind: 'oauth1_consumer', id }, { fields: Object.keys(body) });
        return { ...row, ...values };
      });
    },

    /** With all its tokens. */
    async remove(caller: Caller, { id }: OAuth1ConsumerRow): Promise<void> {
      await change(caller, async ({ tx, audit, invalidate }) => {
        const tokens = (await deleteConsumer(db, tx, id)) ?? fail('oauth1.consumer_not_found', { id });
        for (const token of tokens) invalidate(tagOf.delegation({ kind: 'oauth1', id: token }));
        audit('oauth1_consumer.deleted', { kind: 'oauth1_consumer', id }, { access_tokens: tokens.length });
      });
    },
  };
}

export type OAuth1Consumers = ReturnType<typeof createOAuth1Consumers>;
