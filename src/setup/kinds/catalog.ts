// Regions, services with their endpoints, and registered limits.
import { t } from '../../platform/http/index.ts';
import type { Body } from '../client.ts';
import type { Key } from '../model.ts';
import { type State, textOf } from '../state.ts';
import { type KindDefinition, ruleOf } from './kind.ts';
import { description, enabled, inRegion, nullableText, plain, quote, RegionId } from './shared.ts';

const SELF = { keep: 'it belongs to this service', builtIn: true };
/** The address of this service, which follows its settings. */
const OWN_ADDRESS = { keep: 'it follows the settings of this service', builtIn: true };

/** Clients find this service by its type, whatever its address is. */
const isIdentity = ({ type }: Body): boolean => type === 'identity';

interface RegionEntry {
  readonly id: string;
  readonly parent?: string | null;
}

export const region: KindDefinition = {
  label: ([id]) => `region ${quote(id)}`,
  required: { id: RegionId },
  fields: { description, parent: { schema: t.nullable(RegionId), api: 'parent_region_id', initial: null } },
  reserved: ['parent_region_id'],
  keyOf({ id, parent }: RegionEntry, _above, { refer }) {
    if (typeof parent === 'string') refer('region', [parent], 'parent');
    return [id];
  },
  entryOf: ([id]) => ({ id }),
  collection: '/v3/regions',
  async read(state) {
    const [regions, services, endpoints] = await Promise.all([
      state.list('/v3/regions'),
      state.list('/v3/services'),
      state.list('/v3/endpoints'),
    ]);
    const ids = new Set(services.filter(isIdentity).map(({ id }) => id));
    const own = new Set(endpoints.filter((one) => ids.has(one.service_id)).map((one) => one.region_id));
    for (const body of regions) state.add('region', [textOf(body, 'id')], body, own.has(body.id) ? SELF : {});
  },
  address: ([id]) => `/v3/regions/${encodeURIComponent(String(id))}`,
  parentOf: ({ fields: { parent } }) => (typeof parent === 'string' ? [parent] : undefined),
  rule: ruleOf('identity:*_region'),
};

const ServiceType = t.string({ minLength: 1, maxLength: 255 });
const ServiceName = t.string({ maxLength: 255 });
interface ServiceEntry {
  readonly type: string;
  readonly name: string;
}
const serviceLabel = ([type, name]: Key): string => `service ${quote(name)} (${plain(type)})`;

export const service: KindDefinition = {
  label: serviceLabel,
  required: { type: ServiceType, name: ServiceName },
  fields: { description: nullableText, enabled },
  reserved: ['type'],
  lists: { endpoints: { kind: 'endpoint' } },
  keyOf: ({ type, name }: ServiceEntry) => [type, name],
  entryOf: ([type, name]) => ({ type, name }),
  collection: '/v3/services',
  async read(state) {
    for (const body of await state.list('/v3/services'))
      state.add('service', [textOf(body, 'type'), textOf(body, 'name')], body, isIdentity(body) ? SELF : {});
  },
  body: ([type, name]) => ({ type, name }),
  rule: ruleOf('identity:*_service'),
};

interface EndpointEntry {
  readonly interface: string;
  readonly region?: string | null;
}

/** The address of this service by its settings, however it is called: the issuer. */
async function ownAddress({ client }: State): Promise<string> {
  const openid = await client.find('/.well-known/openid-configuration');
  return `${textOf(openid ?? {}, 'issuer').replace(/\/$/, '')}/v3`;
}

export const endpoint: KindDefinition = {
  label: ([type, name, side, at]) => `${plain(side)} endpoint of ${serviceLabel([type!, name!])}${inRegion(at)}`,
  required: { interface: t.oneOf('public', 'internal', 'admin') },
  optional: { region: t.nullable(RegionId) },
  fields: {
    url: { schema: t.string({ minLength: 1, maxLength: 2048 }), isRequired: true },
    enabled,
    name: nullableText,
    description: nullableText,
  },
  reserved: ['service_id', 'region_id', 'region', 'interface', 'url'],
  keyOf(entry: EndpointEntry, above, { refer }) {
    const at = entry.region ?? null;
    if (at !== null) refer('region', [at], 'region');
    return [...above, entry.interface, at];
  },
  entryOf: ([, , side, at]) => ({ interface: side, ...(at === null ? {} : { region: at }) }),
  exported: (entry, { keep }) => (keep === OWN_ADDRESS.keep ? undefined : entry),
  collection: '/v3/endpoints',
  needs: ['service', 'region'],
  async read(state) {
    const [endpoints, self] = await Promise.all([state.list('/v3/endpoints'), ownAddress(state)]);
    for (const body of endpoints) {
      const of = state.keyOf('service', textOf(body, 'service_id'));
      if (!of) continue;
      const key = [...of, textOf(body, 'interface'), (body.region_id ?? null) as string | null];
      state.add('endpoint', key, body, textOf(body, 'url').replace(/\/$/, '') === self ? OWN_ADDRESS : {});
    }
  },
  body: ([type, name, side, at], ids) => ({
    service_id: ids('service', [type!, name!]),
    interface: side,
    region_id: at,
  }),
  rule: ruleOf('identity:*_endpoint'),
};

interface LimitEntry {
  readonly service: ServiceEntry;
  readonly region?: string | null;
  readonly resource: string;
}

export const registered_limit: KindDefinition = {
  label: ([type, name, at, resource]) => `registered limit ${quote(resource)} of ${serviceLabel([type!, name!])}${inRegion(at)}`,
  required: {
    service: t.object({ type: ServiceType, name: ServiceName }),
    resource: t.string({ minLength: 1, maxLength: 255, description: 'What is limited, by the name that the service gave it.' }),
  },
  optional: { region: t.nullable(RegionId) },
  about: 'How much of a resource everybody may use by default.',
  fields: {
    default_limit: {
      schema: t.integer({ minimum: -1, maximum: 0x7fffffff, description: '-1 stands for no limit.' }),
      isRequired: true,
    },
    description: nullableText,
  },
  keyOf({ service: { type, name }, region: at = null, resource }: LimitEntry, _above, { refer }) {
    refer('service', [type, name], 'service');
    if (at !== null) refer('region', [at], 'region');
    return [type, name, at, resource];
  },
  entryOf: ([type, name, at, resource]) => ({
    service: { type, name },
    ...(at === null ? {} : { region: at }),
    resource,
  }),
  collection: '/v3/registered_limits',
  needs: ['service', 'region'],
  async read(state) {
    for (const body of await state.list('/v3/registered_limits')) {
      const of = state.keyOf('service', textOf(body, 'service_id'));
      if (!of) continue;
      const key = [...of, (body.region_id ?? null) as string | null, textOf(body, 'resource_name')];
      state.add('registered_limit', key, body);
    }
  },
  body: ([type, name, at, resource], ids) => ({
    service_id: ids('service', [type!, name!]),
    region_id: at,
    resource_name: resource,
  }),
  isCreatedInList: true,
  rule: (action) => (action === 'create' ? 'identity:create_registered_limits' : `identity:${action}_registered_limit`),
};
