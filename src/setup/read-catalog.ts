// Reads regions, services, endpoints and registered limits.
import type { Body } from './client.ts';
import type { Json } from './schema.ts';
import { attributesOf, pathId, type State, textOf } from './state.ts';

const ENDPOINT = ['service_id', 'region_id', 'region', 'interface', 'url', 'enabled', 'name', 'description'];
const SELF = { keep: 'it belongs to this service', builtIn: true };
/** The address of this service, which follows its settings. */
const OWN_ADDRESS = { keep: 'it follows the settings of this service', builtIn: true };
export const isOwnEndpoint = (keep: string | undefined): boolean => keep === OWN_ADDRESS.keep;

export async function readCatalog(state: State): Promise<void> {
  const { client } = state;
  const [regions, services, endpoints, openid] = await Promise.all([
    client.list('/v3/regions', 'regions'),
    client.list('/v3/services', 'services'),
    client.list('/v3/endpoints', 'endpoints'),
    // The issuer is the public address by the settings, however the service is called.
    client.find('/.well-known/openid-configuration'),
  ]);
  const self = `${textOf(openid ?? {}, 'issuer').replace(/\/$/, '')}/v3`;
  const isOwn = (endpoint: Body): boolean => textOf(endpoint, 'url').replace(/\/$/, '') === self;
  // Clients find this service by its type, whatever its address is.
  const ownServices = new Set(services.filter(({ type }) => type === 'identity').map((one) => textOf(one, 'id')));
  const ownRegions = new Set(
    endpoints.filter((one) => ownServices.has(textOf(one, 'service_id'))).map((one) => textOf(one, 'region_id')),
  );
  for (const body of regions) {
    const id = textOf(body, 'id');
    state.add({
      kind: 'region',
      key: [id],
      id,
      url: `/v3/regions/${pathId(id)}`,
      fields: {
        description: textOf(body, 'description'),
        parent: (body.parent_region_id ?? null) as Json,
        ...attributesOf(body, ['description', 'parent_region_id']),
      },
      ...(ownRegions.has(id) ? SELF : {}),
    });
  }
  const keys = new Map<string, readonly string[]>();
  for (const body of services) {
    const id = textOf(body, 'id');
    const key = [textOf(body, 'type'), textOf(body, 'name')];
    keys.set(id, key);
    state.add({
      kind: 'service',
      key,
      id,
      url: `/v3/services/${pathId(id)}`,
      fields: {
        enabled: body.enabled === true,
        description: (body.description ?? null) as Json,
        ...attributesOf(body, ['type', 'name', 'enabled', 'description']),
      },
      ...(ownServices.has(id) ? SELF : {}),
    });
  }
  for (const body of endpoints) {
    const id = textOf(body, 'id');
    const service = keys.get(textOf(body, 'service_id'));
    if (!service) continue;
    state.add({
      kind: 'endpoint',
      key: [...service, textOf(body, 'interface'), (body.region_id ?? null) as string | null],
      id,
      url: `/v3/endpoints/${pathId(id)}`,
      fields: {
        url: textOf(body, 'url'),
        enabled: body.enabled === true,
        name: (body.name ?? null) as Json,
        description: (body.description ?? null) as Json,
        ...attributesOf(body, ENDPOINT),
      },
      ...(isOwn(body) ? OWN_ADDRESS : {}),
    });
  }
}

/** After the catalog, which has the names of their services. */
export async function readRegisteredLimits(state: State): Promise<void> {
  const services = new Map(state.items.filter(({ kind }) => kind === 'service').map(({ id, key }) => [id, key]));
  for (const body of await state.client.list('/v3/registered_limits', 'registered_limits')) {
    const id = textOf(body, 'id');
    const service = services.get(textOf(body, 'service_id'));
    if (!service) continue;
    state.add({
      kind: 'registered_limit',
      key: [...service, (body.region_id ?? null) as string | null, textOf(body, 'resource_name')],
      id,
      url: `/v3/registered_limits/${pathId(id)}`,
      fields: { default_limit: body.default_limit as number, description: (body.description ?? null) as Json },
    });
  }
}
