// Domains.
import { t } from '../../../../platform/http/index.ts';
import { DEFAULT_DOMAIN, findProject } from '../../../access/context/index.ts';
import { insertProjectRow, updateProjectRow } from '../../../directory/projects/index.ts';
import { fail } from '../../../ground/faults.ts';
import { makeEach, recordKind } from '../kind.ts';
import { domainsNamed } from './existing.store.ts';
import { existingThings } from './existing.ts';
import { extra, id, key, name, options, text } from './fields.ts';
import { partsOfPlace, placeChanges, withoutOthers } from './place.ts';

const schema = t.object(
  { key, name },
  { id, enabled: t.boolean(), description: text, tags: t.array(t.string({ minLength: 1, maxLength: 255 })), options, extra },
);

export const domain = recordKind({
  schema,
  words: ({ name: its }) => `domain ${its}`,
  async existing(place, records, ownAmong) {
    const found = await existingThings(
      place,
      'projects',
      records,
      ownAmong,
      () => null,
      async (_, some) => {
        const rows = await domainsNamed(
          place.reader,
          some.map((one) => one.name.trim()),
        );
        const ids = new Map(rows.map((row) => [row.name, row.id]));
        return new Map(some.flatMap((one) => (ids.has(one.name.trim()) ? [[one.key, ids.get(one.name.trim())!]] : [])));
      },
    );
    return withoutOthers(place, true, found);
  },
  make: ({ change, deps }, records) =>
    makeEach(records, async ({ key: _, id: own, extra: others = {}, ...body }) => {
      const row = await insertProjectRow(change, deps.clock, { ...others, ...body }, null, { id: own });
      return row.id;
    }),
  parts: partsOfPlace,
  async update({ change, deps }, here, { key: _, id: __, ...said }, parts) {
    const row = await findProject(change.tx, here);
    if (!row) return undefined;
    // Nobody could log in to enable it again.
    if (here === DEFAULT_DOMAIN && parts.has('enabled') && said.enabled === false) fail('domain.default');
    const revision = (now: typeof row) => ({ body: placeChanges(now, said, parts) });
    await updateProjectRow(deps, change, row, revision, () => {});
    return here;
  },
});
