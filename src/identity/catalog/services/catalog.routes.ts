// /v3/regions, /v3/services, /v3/endpoints

import { mountNoun, type NounBody } from '../../access/noun/index.ts';
import type { IdentityApp } from '../../access/rules/index.ts';
import { fail } from '../../ground/faults.ts';
import type { CatalogNouns } from './catalog.ts';
import { endpoint } from './endpoint.ts';
import { region } from './region.ts';
import { service } from './service.ts';

export function mountCatalog(app: IdentityApp, { regions, services, endpoints }: CatalogNouns): void {
  mountNoun(app, region, regions);
  app.put(
    '/v3/regions/:region_id',
    {
      id: 'createRegionWithId',
      summary: 'Create a region with this id',
      tag: region.tag,
      rule: 'identity:create_region',
      body: region.schemas.Create,
      reply: { 201: region.schemas.Envelope },
    },
    async ({ caller, params: { region_id: id }, body, base }) => {
      const values = body.region as NounBody;
      if (!/^[^/]{1,255}$/.test(id))
        fail('request.bad_value', { field: 'id', why: 'it must have 1 to 255 characters and no slash' });
      if (values.id !== undefined && values.id !== id)
        fail('request.bad_value', { field: 'id', why: 'it differs from the id in the path' });
      return { region: region.render(base, await regions.create(caller, values, id)) };
    },
  );
  mountNoun(app, service, services);
  mountNoun(app, endpoint, endpoints);
}
