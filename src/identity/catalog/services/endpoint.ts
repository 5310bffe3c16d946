// Endpoints: the addresses of a service, optionally in a region.
import { t } from '../../../platform/http/index.ts';
import { tagOf } from '../../access/context/index.ts';
import { defineNoun, exampleId, findRow, flag } from '../../access/noun/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { insertRegionIfMissing } from './catalog.store.ts';
import { RegionId } from './region.ts';
import { hasUnknownPlaceholder } from './token-catalog.ts';

interface EndpointBody {
  readonly service_id?: string;
  readonly url?: string;
  readonly region_id?: string | null;
  readonly region?: string | null;
}

async function checkReferences(tx: Tx, { url, service_id: service }: EndpointBody): Promise<void> {
  if (url !== undefined && hasUnknownPlaceholder(url)) {
    fail('request.bad_value', {
      field: 'url',
      why: 'only $(project_id)s, $(tenant_id)s and $(user_id)s can be filled in',
    });
  }
  if (service !== undefined && !(await findRow(tx, 'services', service)))
    fail('request.bad_value', { field: 'service_id', why: `there is no service ${service}` });
}

/** A region named by the old field `region` is created if needed. The new field `region_id` must name an existing one. */
async function regionOf(
  { tx, audit }: Change,
  { region_id: id, region: name }: EndpointBody,
): Promise<string | null | undefined> {
  if (id !== undefined && id !== null) {
    if (!(await findRow(tx, 'regions', id))) fail('request.bad_value', { field: 'region_id', why: `there is no region ${id}` });
    return id;
  }
  if (!name) return id === null || name === null ? null : undefined;
  const isNew = await insertRegionIfMissing(tx, { id: name, description: '', parent_region_id: null, extra: '{}' });
  if (isNew) audit('region.created', { kind: 'region', id: name });
  return name;
}

export const endpoint = defineNoun('endpoint', {
  tag: 'Catalog',
  isVersioned: true,
  invalidates: tagOf.everything,
  fields: {
    service_id: { body: t.string({ minLength: 1, maxLength: 64 }), answer: t.string(), filter: 'text' },
    interface: { body: t.oneOf('public', 'internal', 'admin'), answer: t.string(), filter: 'text' },
    url: {
      body: t.string({ minLength: 1, maxLength: 2048, pattern: '^[a-zA-Z0-9+.-]+:.+' }),
      answer: t.string(),
    },
    enabled: flag(true),
    region_id: { body: t.nullable(t.string()), initial: null, filter: 'text' },
  },
  aliases: {
    /** The old name of `region_id`; clients read either. */
    region: { body: t.nullable(RegionId), answer: t.nullable(t.string()), show: ({ region_id }) => region_id },
  },
  examples: {
    create: { service_id: exampleId('service'), interface: 'public', url: 'https://archive.town.example', region_id: 'north' },
    change: { url: 'https://papers.town.example' },
  },
  hooks: () => ({
    async prepare(change, body: EndpointBody) {
      await checkReferences(change.tx, body);
      const region = await regionOf(change, body);
      return region === undefined ? undefined : { region_id: region };
    },
    brokenReference: ({ service_id }) => fail('service.not_found', { id: service_id }),
  }),
});
