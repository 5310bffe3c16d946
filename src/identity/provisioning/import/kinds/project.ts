// Projects, in a tree below their domain.
import { t } from '../../../../platform/http/index.ts';
import { findProject } from '../../../access/context/index.ts';
import { insertProjectRow, updateProjectRow } from '../../../directory/projects/index.ts';
import { makeEach, recordKind } from '../kind.ts';
import { byExactName, existingThings } from './existing.ts';
import { extra, id, key, name, options, text } from './fields.ts';
import { partsOfPlace, placeChanges, withoutOthers } from './place.ts';

/** Without a parent it is at the top of its domain. */
const schema = t.object(
  { key, name, domain: key },
  {
    id,
    parent: t.nullable(key),
    enabled: t.boolean(),
    description: text,
    tags: t.array(t.string({ minLength: 1, maxLength: 255 })),
    options,
    extra,
  },
);

export const project = recordKind({
  schema,
  words: ({ name: its }) => `project ${its}`,
  needs: ({ domain, parent }) => [{ kind: 'domain', key: domain }, ...(parent == null ? [] : [{ kind: 'project', key: parent }])],
  async existing(place, records, ownAmong) {
    const found = await existingThings(
      place,
      'projects',
      records,
      ownAmong,
      ({ domain }) => place.idOfNeeded('domain', domain),
      byExactName(place, 'projects'),
    );
    return withoutOthers(place, false, found);
  },
  make: ({ change, deps, idOfNeeded }, records) =>
    makeEach(records, async ({ key: _, id: own, domain, parent, extra: others = {}, ...body }) => {
      const domainId = idOfNeeded('domain', domain);
      const parentId = parent == null ? domainId : idOfNeeded('project', parent);
      const row = await insertProjectRow(change, deps.clock, { ...others, ...body }, { domainId, parentId }, { id: own });
      return row.id;
    }),
  parts: partsOfPlace,
  async update({ change, deps }, here, { key: _, id: __, domain: ___, parent: ____, ...said }, parts) {
    const row = await findProject(change.tx, here);
    if (!row) return undefined;
    const revision = (now: typeof row) => ({ body: placeChanges(now, said, parts) });
    await updateProjectRow(deps, change, row, revision, () => {});
    return here;
  },
});
