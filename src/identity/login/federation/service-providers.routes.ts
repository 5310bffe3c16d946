// /v3/OS-FEDERATION/service_providers
import type { IdentityApp } from '../../access/rules/index.ts';
import { filterDocumentation, listOf } from '../../ground/resource/index.ts';
import type { ServiceProviders } from './service-providers.rules.ts';
import {
  CreateServiceProvider,
  renderServiceProvider,
  ServiceProviderEnvelope,
  ServiceProviderList,
  UpdateServiceProvider,
} from './service-providers.schema.ts';

const tag = 'Federation';

interface ServiceProviderRouteDeps {
  readonly federation: { readonly serviceProviders: ServiceProviders };
}

export function mountServiceProviders(app: IdentityApp, { federation }: ServiceProviderRouteDeps): void {
  const all = '/v3/OS-FEDERATION/service_providers';
  const path = '/v3/OS-FEDERATION/service_providers/:sp_id';
  const target = ({ params }: { params: { sp_id: string } }) => federation.serviceProviders.target(params.sp_id);

  app.get(
    all,
    {
      id: 'listServiceProviders',
      summary: 'List service providers',
      tag,
      rule: 'identity:list_service_providers',
      documentation: filterDocumentation(['id'], ['enabled']),
      reply: { 200: ServiceProviderList },
    },
    async (call) => listOf(call, 'service_providers', await federation.serviceProviders.list(call.query), renderServiceProvider),
  );
  app.put(
    path,
    {
      id: 'createServiceProvider',
      summary: 'Create a service provider',
      description: 'With the id in the path: a service elsewhere that trusts this one. Tokens name it while it is enabled.',
      tag,
      rule: 'identity:create_service_provider',
      body: CreateServiceProvider,
      reply: { 201: ServiceProviderEnvelope },
    },
    async ({ caller, params, body, base }) => ({
      service_provider: renderServiceProvider(
        base,
        await federation.serviceProviders.create(caller, params.sp_id, body.service_provider),
      ),
    }),
  );
  app.get(
    path,
    {
      id: 'getServiceProvider',
      summary: 'Show a service provider',
      tag,
      rule: 'identity:get_service_provider',
      target,
      reply: { 200: ServiceProviderEnvelope },
    },
    ({ target: row, base }) => ({ service_provider: renderServiceProvider(base, row) }),
  );
  app.patch(
    path,
    {
      id: 'updateServiceProvider',
      summary: 'Change a service provider',
      tag,
      rule: 'identity:update_service_provider',
      target,
      body: UpdateServiceProvider,
      reply: { 200: ServiceProviderEnvelope },
    },
    async ({ caller, target: row, body, base }) => ({
      service_provider: renderServiceProvider(base, await federation.serviceProviders.update(caller, row, body.service_provider)),
    }),
  );
  app.delete(
    path,
    {
      id: 'deleteServiceProvider',
      summary: 'Delete a service provider',
      description: 'Tokens do not name it any more.',
      tag,
      rule: 'identity:delete_service_provider',
      target,
      reply: { 204: null },
    },
    ({ caller, target: row }) => federation.serviceProviders.remove(caller, row),
  );
}
