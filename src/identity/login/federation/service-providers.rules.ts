// Service providers: services elsewhere that trust this one. Tokens name those that are enabled, so that clients find them.
import { seconds } from '../../../platform/clock.ts';
import type { Query, Static } from '../../../platform/http/index.ts';
import { tagOf } from '../../access/context/index.ts';
import { type Caller, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import type { ServiceProviderRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { bit, criteriaOf, type Deps, type Filters, foundPage, pageOf } from '../../ground/resource/index.ts';
import { checkNewId, failOnDuplicateId } from './ids.ts';
import { type CreateServiceProvider, RELAY_STATE_PREFIX, type UpdateServiceProvider } from './service-providers.schema.ts';
import {
  countServiceProviders,
  deleteServiceProvider,
  enabledServiceProviders,
  findServiceProvider,
  insertServiceProvider,
  listServiceProviders,
  updateServiceProvider,
} from './service-providers.store.ts';

/** Every token names them all. */
const MAX_SERVICE_PROVIDERS = 100;

const filters: Filters = {
  id: { column: 'service_providers.id', kind: 'text' },
  enabled: { column: 'service_providers.enabled', kind: 'flag' },
};

/** As tokens name it. */
export type NamedServiceProvider = Pick<ServiceProviderRow, 'id' | 'auth_url' | 'sp_url'>;

export function createServiceProviders({ db, clock, change }: Pick<Deps, 'db' | 'clock' | 'change'>) {
  const missing = (id: string): never => fail('service_provider.not_found', { id });

  return {
    target: async (id: string): Promise<IdentityTarget<ServiceProviderRow>> =>
      targetOf(
        await findServiceProvider(db.read, id),
        () => ({}),
        () => missing(id),
      ),

    async list(query: Query) {
      return foundPage(query, await listServiceProviders(db, pageOf(query), criteriaOf(query, filters)));
    },

    /** Those that tokens name. */
    enabled: (): Promise<NamedServiceProvider[]> => enabledServiceProviders(db.read, MAX_SERVICE_PROVIDERS),

    async create(
      caller: Caller,
      id: string,
      body: Static<typeof CreateServiceProvider>['service_provider'],
    ): Promise<ServiceProviderRow> {
      checkNewId('sp_id', id);
      const row: ServiceProviderRow = {
        id,
        enabled: bit(body.enabled ?? false),
        description: body.description ?? null,
        auth_url: body.auth_url,
        sp_url: body.sp_url,
        relay_state_prefix: body.relay_state_prefix === undefined ? RELAY_STATE_PREFIX : body.relay_state_prefix,
        created_at: seconds(clock),
      };
      await change(caller, async ({ tx, audit, invalidate }) => {
        if ((await countServiceProviders(tx)) >= MAX_SERVICE_PROVIDERS)
          fail('service_provider.limit', { limit: MAX_SERVICE_PROVIDERS });
        await failOnDuplicateId('service_provider', id, () => insertServiceProvider(tx, row));
        invalidate(tagOf.everything);
        audit('service_provider.created', { kind: 'service_provider', id });
      });
      return row;
    },

    async update(
      caller: Caller,
      { id }: ServiceProviderRow,
      body: Static<typeof UpdateServiceProvider>['service_provider'],
    ): Promise<ServiceProviderRow> {
      const fields = Object.keys(body);
      return change(caller, async ({ tx, audit, invalidate }) => {
        const { enabled, auth_url, sp_url, description, relay_state_prefix } = body;
        const row =
          (await updateServiceProvider(tx, id, {
            ...(enabled === undefined ? {} : { enabled: bit(enabled) }),
            ...(auth_url === undefined ? {} : { auth_url }),
            ...(sp_url === undefined ? {} : { sp_url }),
            ...(description === undefined ? {} : { description }),
            ...(relay_state_prefix === undefined ? {} : { relay_state_prefix }),
          })) ?? missing(id);
        invalidate(tagOf.everything);
        audit('service_provider.updated', { kind: 'service_provider', id }, { fields });
        return row;
      });
    },

    async remove(caller: Caller, { id }: ServiceProviderRow): Promise<void> {
      await change(caller, async ({ tx, audit, invalidate }) => {
        if (!(await deleteServiceProvider(tx, id))) missing(id);
        invalidate(tagOf.everything);
        audit('service_provider.deleted', { kind: 'service_provider', id });
      });
    },
  };
}

export type ServiceProviders = ReturnType<typeof createServiceProviders>;
