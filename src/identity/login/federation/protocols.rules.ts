// Protocols of an identity provider: by which mapping its people sign in.
import type { Static } from '../../../platform/http/index.ts';
import { tagOf } from '../../access/context/index.ts';
import { type Caller, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { IdentityProviderRow, ProtocolRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, failOnBrokenReference } from '../../ground/resource/index.ts';
import { isServed, OPENID } from './assertion.ts';
import type { CreateProtocol, UpdateProtocol } from './identity-providers.schema.ts';
import {
  deleteProtocol,
  findProtocol,
  insertProtocol,
  listProtocols,
  lockIdentityProvider,
  updateProtocol,
} from './identity-providers.store.ts';
import { checkNewId, failOnDuplicateId } from './ids.ts';
import { findMapping } from './mappings.store.ts';

type NewProtocol = Static<typeof CreateProtocol>['protocol'];

export function createProtocols({
  db,
  change,
  endTokensOf,
  endSessionsOf,
}: Pick<Deps, 'db' | 'change'> & {
  /** Called in the transaction that gives a provider another mapping. */
  endTokensOf(transaction: Change, providerId: string): Promise<void>;
  /** Called in the transaction that deletes a protocol. */
  endSessionsOf(transaction: Change, providerId: string): Promise<void>;
}) {
  const detailOf = ({ id, provider_id, mapping_id }: ProtocolRow) =>
    [
      { kind: 'protocol', id },
      { identity_provider_id: provider_id, mapping_id },
    ] as const;

  /** As in Keystone, it must exist when it is named, and may be deleted later. */
  async function checkMapping({ tx }: Change, id: string): Promise<void> {
    if (!(await findMapping(tx, id))) fail('request.bad_value', { field: 'mapping_id', why: `there is no mapping ${id}` });
  }

  /** No login is half done meanwhile. */
  async function held({ tx }: Change, { provider_id, id }: ProtocolRow): Promise<ProtocolRow | undefined> {
    await lockIdentityProvider(db, tx, provider_id);
    return findProtocol(tx, provider_id, id);
  }

  async function insert(
    transaction: Change,
    provider: Pick<IdentityProviderRow, 'id'>,
    id: string,
    { mapping_id, remote_id_attribute = null }: NewProtocol,
  ): Promise<ProtocolRow> {
    checkNewId('protocol_id', id);
    const row: ProtocolRow = { provider_id: provider.id, id, mapping_id, remote_id_attribute };
    await checkMapping(transaction, mapping_id);
    await failOnBrokenReference(
      () => fail('identity_provider.not_found', { id: provider.id }),
      () => failOnDuplicateId('federation_protocol', id, () => insertProtocol(transaction.tx, row)),
    );
    transaction.audit('protocol.created', ...detailOf(row));
    return row;
  }

  return {
    /** A protocol of a provider that does not exist is missing, too. */
    target: async (providerId: string, id: string): Promise<IdentityTarget<ProtocolRow>> =>
      targetOf(
        await findProtocol(db.read, providerId, id),
        () => ({}),
        () => fail('protocol.not_found', { id }),
      ),

    list: ({ id }: IdentityProviderRow): Promise<ProtocolRow[]> => listProtocols(db.read, id),

    /** In a transaction that makes more than the protocol. */
    insert,

    create: (caller: Caller, provider: Pick<IdentityProviderRow, 'id'>, id: string, body: NewProtocol): Promise<ProtocolRow> =>
      change(caller, (transaction) => insert(transaction, provider, id, body)),

    async update(caller: Caller, row: ProtocolRow, body: Static<typeof UpdateProtocol>['protocol']): Promise<ProtocolRow> {
      const { mapping_id = row.mapping_id, remote_id_attribute = row.remote_id_attribute } = body;
      const next = { ...row, mapping_id, remote_id_attribute };
      await change(caller, async (transaction) => {
        const current = await held(transaction, row);
        if (body.mapping_id !== undefined) await checkMapping(transaction, body.mapping_id);
        if (row.id === OPENID && current?.mapping_id !== mapping_id) await endTokensOf(transaction, row.provider_id);
        if (!(await updateProtocol(transaction.tx, row, { mapping_id, remote_id_attribute })))
          fail('protocol.not_found', { id: row.id });
        transaction.invalidate(tagOf.identityProvider(row.provider_id));
        transaction.audit('protocol.updated', ...detailOf(next));
      });
      return next;
    },

    async remove(caller: Caller, row: ProtocolRow): Promise<void> {
      await change(caller, async (transaction) => {
        await held(transaction, row);
        // People who came through the provider are signed out, and their tokens end.
        if (isServed(row.id)) await endSessionsOf(transaction, row.provider_id);
        if (!(await deleteProtocol(transaction.tx, row))) fail('protocol.not_found', { id: row.id });
        transaction.invalidate(tagOf.identityProvider(row.provider_id));
        transaction.audit('protocol.deleted', ...detailOf(row));
      });
    },
  };
}

export type Protocols = ReturnType<typeof createProtocols>;
