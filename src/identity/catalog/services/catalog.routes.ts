// PUT /v3/regions: a region whose id the client chooses.
import type { NounBody, Nouns } from '../../access/noun/index.ts';
import type { IdentityApp } from '../../access/rules/index.ts';
import { fail } from '../../ground/faults.ts';
import { region } from './region.ts';

export function mountRegionWithId(app: IdentityApp, { nouns }: { readonly nouns: Nouns }): void {
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
      return { region: region.render(base, await nouns.region.create(caller, values, id)) };
    },
  );
}
