// Groups of people.
import { t } from '../../../../platform/http/index.ts';
import { newId } from '../../../../platform/ids.ts';
import { findGroup, insertGroupRow, updateGroupRow } from '../../../directory/groups/index.ts';
import { makeEach, recordKind } from '../kind.ts';
import { domainOf, needsDomain } from './domain-of.ts';
import { byExactName, existingThings } from './existing.ts';
import { extra, id, key, name, text } from './fields.ts';

const schema = t.object({ key, name }, { id, domain: key, description: text, extra });

export const group = recordKind({
  schema,
  words: ({ name: its }) => `group ${its}`,
  needs: (record) => needsDomain(record),
  existing: (place, records, ownAmong) =>
    existingThings(place, 'groups', records, ownAmong, (record) => domainOf(place, record), byExactName(place, 'groups')),
  make: (place, records) =>
    makeEach(records, async (record) => {
      const { id: own = newId(), name: its, description, extra: others } = record;
      const domainId = domainOf(place, record);
      await place.deps.directory.forbidNew(domainId, place.change.tx);
      await insertGroupRow(place.change, place.deps.clock, {
        id: own,
        domain_id: domainId,
        name: its.trim(),
        description: description ?? '',
        extra: JSON.stringify(others ?? {}),
        external_id: null,
      });
      return own;
    }),
  async update({ change, deps }, here, { name: its, description, extra: others }) {
    if (!(await findGroup(change.tx, here))) return undefined;
    const values = { name: its.trim(), description: description ?? '', extra: JSON.stringify(others ?? {}) };
    await updateGroupRow(change, deps.clock, here, values, { fields: Object.keys(values) });
    return here;
  },
});
