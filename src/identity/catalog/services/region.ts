// Regions. Deleting one deletes its descendants too.
import { seconds } from '../../../platform/clock.ts';
import { takeAdvisoryLock } from '../../../platform/database/index.ts';
import { t } from '../../../platform/http/index.ts';
import { tagOf } from '../../access/context/index.ts';
import { defineNoun, findRow } from '../../access/noun/index.ts';
import type { Database, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { failOnBrokenReference } from '../../ground/resource/index.ts';
import { rememberDeletedLimits } from '../limits/index.ts';
import { deleteRegions, haveEndpoints, regionAncestors, regionTree } from './catalog.store.ts';

export const RegionId = t.string({ minLength: 0, maxLength: 255, pattern: '^[^/]*$' });

async function checkParent(db: Database, tx: Tx, id: string, parent: string): Promise<void> {
  await takeAdvisoryLock(db, tx, 'regions');
  if (!(await findRow(tx, 'regions', parent))) fail('region.not_found', { id: parent });
  if ((await regionAncestors(tx, parent)).has(id)) fail('region.cycle', { id });
}

export const region = defineNoun('region', {
  tag: 'Catalog',
  isVersioned: true,
  // Every token shows the catalog.
  invalidates: tagOf.everything,
  id: {
    body: t.nullable(RegionId),
    check(id, body) {
      if (!/^[^/]{1,255}$/.test(id))
        fail('request.bad_value', { field: 'id', why: 'it must have 1 to 255 characters and no slash' });
      if (body.id !== undefined && body.id !== id)
        fail('request.bad_value', { field: 'id', why: 'it differs from the id in the path' });
    },
  },
  fields: {
    description: {
      body: t.nullable(t.string()),
      answer: t.string(),
      initial: '',
      store: (said: string | null) => said ?? '',
    },
    parent_region_id: { body: t.nullable(RegionId), answer: t.nullable(t.string()), initial: null, filter: 'text' },
  },
  words: { delete: { description: 'Only a region without endpoints, in it or below it, can be deleted.' } },
  examples: {
    create: { id: 'north', description: 'The north of the town' },
    change: { description: 'North of the river' },
  },
  refusals: { create: ['region.not_found'], change: ['region.cycle'], delete: ['region.has_endpoints'] },
  hooks: ({ db, clock }) => ({
    async prepare({ tx }, { parent_region_id: parent }: { parent_region_id?: string | null }, id) {
      if (parent !== undefined && parent !== null) await checkParent(db, tx, id, parent);
      return undefined;
    },
    brokenReference: ({ parent_region_id: parent }) => fail('region.not_found', { id: parent ?? '' }),
    async remove({ tx, audit }, { id }) {
      const tree = await regionTree(tx, id);
      if (await haveEndpoints(tx, tree)) fail('region.has_endpoints', { id });
      await rememberDeletedLimits(tx, 'region_id', tree, seconds(clock));
      const deleted = await failOnBrokenReference(
        () => fail('region.has_endpoints', { id }),
        () => deleteRegions(tx, tree),
      );
      for (const below of deleted) if (below !== id) audit('region.deleted', { kind: 'region', id: below });
      return deleted.includes(id);
    },
  }),
});
