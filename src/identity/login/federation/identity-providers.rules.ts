// Identity providers and their protocols.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { isUniqueViolation } from '../../../platform/database/index.ts';
import type { Query, Static } from '../../../platform/http/index.ts';
import { newId } from '../../../platform/ids.ts';
import { findProject, tagOf } from '../../access/context/index.ts';
import { type Caller, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import { insertProjectRow } from '../../directory/projects/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { IdentityProviderRow, Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import {
  bit,
  criteriaOf,
  type Deps,
  type Filters,
  failOnBrokenReference,
  foundPage,
  pageOf,
} from '../../ground/resource/index.ts';
import type { CreateIdentityProvider, IdentityProviderWithIds, UpdateIdentityProvider } from './identity-providers.schema.ts';
import {
  deleteIdentityProvider,
  findIdentityProvider,
  insertIdentityProvider,
  listIdentityProviders,
  lockIdentityProvider,
  remoteIdsOf,
  replaceRemoteIds,
  updateIdentityProvider,
} from './identity-providers.store.ts';
import { checkNewId, failOnDuplicateId } from './ids.ts';
import type { LinkBatches } from './link-batches.rules.ts';
import type { ProviderRegistrations } from './provider-registrations.rules.ts';
import { checkVersion, versionedProvider } from './versions.ts';

type NewIdentityProvider = Static<typeof CreateIdentityProvider>['identity_provider'];
type IdentityProviderChanges = Static<typeof UpdateIdentityProvider>['identity_provider'];

/** Somebody may enable the provider again while its links end. */
const ROUNDS = 5;

const filters: Filters = {
  id: { column: 'identity_providers.id', kind: 'text' },
  enabled: { column: 'identity_providers.enabled', kind: 'flag' },
};

/** As Keystone does for a provider without a domain. */
async function createDomainFor(transaction: Change, clock: Clock, providerId: string): Promise<string> {
  const id = newId();
  const description = `Auto generated federated domain for Identity Provider: ${providerId}`;
  await insertProjectRow(transaction, clock, { name: id, description }, null, { id });
  return id;
}

/** A remote id belongs to one provider only. */
async function writeRemoteIds({ tx }: Change, providerId: string, remoteIds: readonly string[]): Promise<void> {
  try {
    await replaceRemoteIds(tx, providerId, remoteIds);
  } catch (error) {
    if (isUniqueViolation(error))
      fail('resource.duplicate', { kind: 'identity_provider', field: 'remote_ids', value: remoteIds.join(', ') });
    throw error;
  }
}

export function createIdentityProviders(
  deps: Pick<Deps, 'db' | 'clock' | 'change'> & {
    /** Called in the transaction that disables or deletes a provider. */
    endSessionsOf(transaction: Change, providerId: string): Promise<void>;
    readonly linkBatches: Pick<LinkBatches, 'deleteFew' | 'deleteAll'>;
    readonly registrations: Pick<ProviderRegistrations, 'handleOf' | 'remove'>;
  },
) {
  const { db, clock, change, endSessionsOf, linkBatches, registrations } = deps;
  const missing = (id: string) => fail('identity_provider.not_found', { id });

  const withRemoteIds = async (
    rows: readonly IdentityProviderRow[],
    reader: Reader = db.read,
  ): Promise<IdentityProviderWithIds[]> => {
    const ids = await remoteIdsOf(
      reader,
      rows.map((row) => row.id),
    );
    return rows.map((row) => ({ ...row, remoteIds: ids.get(row.id) ?? [] }));
  };
  const reread = async (id: string): Promise<IdentityProviderWithIds> =>
    (await withRemoteIds([(await findIdentityProvider(db.read, id)) ?? missing(id)]))[0]!;

  async function insert(transaction: Change, id: string, body: NewIdentityProvider): Promise<void> {
    const { tx, audit } = transaction;
    checkNewId('idp_id', id);
    const domain = body.domain_id ? await findProject(tx, body.domain_id) : undefined;
    if (body.domain_id && !domain?.is_domain) fail('domain.not_found', { id: body.domain_id });
    const row: IdentityProviderRow = {
      id,
      domain_id: domain?.id ?? (await createDomainFor(transaction, clock, id)),
      enabled: bit(body.enabled ?? false),
      description: body.description ?? null,
      authorization_ttl: body.authorization_ttl ?? null,
      created_at: seconds(clock),
    };
    await failOnBrokenReference(
      () => fail('domain.not_found', { id: row.domain_id }),
      () => failOnDuplicateId('identity_provider', id, () => insertIdentityProvider(tx, row)),
    );
    await writeRemoteIds(transaction, id, body.remote_ids ?? []);
    audit('identity_provider.created', { kind: 'identity_provider', id }, { domain_id: row.domain_id });
  }

  async function create(caller: Caller, id: string, body: NewIdentityProvider): Promise<IdentityProviderWithIds> {
    await change(caller, (transaction) => insert(transaction, id, body));
    return reread(id);
  }

  /** Locked, so that the version that is compared is the one that is changed. */
  async function lockVersion({ tx }: Change, id: string, ifMatch: string | undefined): Promise<IdentityProviderRow> {
    const row = (await lockIdentityProvider(db, tx, id)) ?? missing(id);
    if (ifMatch !== undefined)
      checkVersion('identity_provider', id, ifMatch, versionedProvider((await withRemoteIds([row], tx))[0]!));
    return row;
  }

  async function update(
    caller: Caller,
    { id }: IdentityProviderRow,
    body: IdentityProviderChanges,
    ifMatch?: string,
  ): Promise<IdentityProviderWithIds> {
    await change(caller, async (transaction) => {
      const { tx, audit } = transaction;
      const row = await lockVersion(transaction, id, ifMatch);
      await updateIdentityProvider(tx, id, {
        enabled: body.enabled === undefined ? row.enabled : bit(body.enabled),
        description: body.description === undefined ? row.description : body.description,
        authorization_ttl: body.authorization_ttl === undefined ? row.authorization_ttl : body.authorization_ttl,
      });
      if (body.remote_ids !== undefined) await writeRemoteIds(transaction, id, body.remote_ids ?? []);
      if (body.enabled === false && row.enabled === 1) await endSessionsOf(transaction, id);
      transaction.invalidate(tagOf.identityProvider(id));
      audit('identity_provider.updated', { kind: 'identity_provider', id }, { fields: Object.keys(body) });
    });
    return reread(id);
  }

  /** Deletes a provider, or disables it and returns false if it has many links. */
  async function removeOrClose(transaction: Change, id: string, ifMatch: string | undefined): Promise<boolean> {
    const { tx, audit } = transaction;
    await lockVersion(transaction, id, ifMatch);
    transaction.invalidate(tagOf.identityProvider(id));
    await endSessionsOf(transaction, id);
    if (!(await linkBatches.deleteFew(transaction, id))) {
      await updateIdentityProvider(tx, id, { enabled: 0 });
      audit('identity_provider.updated', { kind: 'identity_provider', id }, { fields: ['enabled'] });
      return false;
    }
    await deleteIdentityProvider(tx, id);
    audit('identity_provider.deleted', { kind: 'identity_provider', id });
    return true;
  }

  return {
    target: async (id: string): Promise<IdentityTarget<IdentityProviderRow>> =>
      targetOf(
        await findIdentityProvider(db.read, id),
        ({ domain_id }) => ({ domainId: domain_id }),
        () => missing(id),
      ),
    get: async (row: IdentityProviderRow): Promise<IdentityProviderWithIds> => (await withRemoteIds([row]))[0]!,

    async list(query: Query) {
      const page = foundPage(query, await listIdentityProviders(db, pageOf(query), criteriaOf(query, filters)));
      return { ...page, items: await withRemoteIds(page.items) };
    },

    /** In a transaction that makes more than the provider. */
    insert,
    create,
    update,

    /**
     * Its protocols, settings and links end with it, and what it gave. Accounts stay. One with many links is closed first, and its links end
     * in batches. If that is interrupted, it stays disabled, and can be deleted again.
     */
    async remove(caller: Caller, { id }: IdentityProviderRow, ifMatch?: string): Promise<void> {
      const registered = await registrations.handleOf(id);
      for (let round = 0; round < ROUNDS; round++) {
        // One that was closed here has another version since.
        const wanted = round === 0 ? ifMatch : undefined;
        if (await change(caller, (transaction) => removeOrClose(transaction, id, wanted)))
          return registrations.remove(id, registered);
        await linkBatches.deleteAll(caller, id);
      }
      fail('server.unavailable', undefined, { headers: { 'Retry-After': '1' }, reason: 'the provider is being enabled again' });
    },
  };
}

export type IdentityProviders = ReturnType<typeof createIdentityProviders>;
